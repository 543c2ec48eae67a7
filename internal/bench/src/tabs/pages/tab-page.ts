/** What the bench calls in each tab. */
export interface TabPage {
  /** Logs the user in. Called in one tab. */
  readonly logIn: (username: string, password: string) => Promise<unknown>
  /** Sends one request with an access token. Resolves to the status of the response. */
  readonly request: () => Promise<number>
}

/** Makes a page available to the bench. */
export const expose = (tabPage: TabPage): void => {
  Object.assign(globalThis, { tabPage })
}

/** The origin of the page and of its server. */
export const origin = new URL(import.meta.url).origin
