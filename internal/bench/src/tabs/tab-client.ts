import type { RequestListener } from 'node:http'

/** The server of a client under test, with the protocol of this client. */
export interface TabServer {
  /** Responds to all requests except those for the page. */
  readonly respond: RequestListener
  /** The path of the refresh requests. */
  readonly refreshPath: string
  /** Returns whether the user is logged in. */
  readonly hasSession: () => Promise<boolean>
}

/** A client in eight tabs. */
export interface TabClient {
  readonly title: string
  /** The packages of the client, for the column of versions. */
  readonly packages: readonly string[]
  /** The file in `pages` that runs in each tab. */
  readonly page: string
  /** Creates the server. `now` is its clock, in milliseconds since 1970. */
  readonly createServer: (now: () => number) => Promise<TabServer>
  /** Whether the browser has Web Locks. @default true */
  readonly hasLocks?: boolean
}

/** The lifetime of all access tokens. */
export const lifetimeSeconds = 3_600
