/** What came back: the whole of it that a client of the site acts on. */
export interface Answer {
  readonly status: number
  /** JSON, parsed; `undefined` for an empty body. */
  readonly body: unknown
}

/** What is sent beside method and path. */
export interface Message {
  /** The bearer token. */
  readonly token?: string
  /** Sent as JSON. */
  readonly json?: unknown
  readonly userAgent?: string
}

/** Sends one request to a site. */
export type Send = (method: string, path: string, message?: Message) => Promise<Answer>

/** @param baseUrl origin and base path */
export const createClient =
  (baseUrl: string): Send =>
  async (method, path, { token, json, userAgent } = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        // A stopping host waits a moment for the next request of an idle connection.
        Connection: 'close',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...(userAgent !== undefined && { 'User-Agent': userAgent }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : parseJson(text) }
  }

export const parseJson = (text: string): unknown => JSON.parse(text)

/** A member of a JSON object; `undefined` where there is none. */
export const readMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** A member that must be text. */
export const readText = (value: unknown, name: string): string => {
  const member = readMember(value, name)
  if (typeof member === 'string') return member
  throw new Error(`Expected text in ${name}, found ${typeof member}.`)
}
