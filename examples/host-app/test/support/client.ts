import { createHttpClient, type HttpResponse } from '@jwt-auth/test-support/http-client'
import { parseJson, readTextMember } from '@jwt-auth/test-support/read-json'
/** One of the two users of every new site. */
export interface DemoUser {
  readonly id: number
  readonly username: string
  readonly password: string
  readonly email: string
  readonly nicename: string
  readonly displayName: string
}

export const demo: DemoUser = {
  id: 1,
  username: 'demo',
  password: 'correct horse battery staple',
  email: 'demo@example.com',
  nicename: 'demo',
  displayName: 'Demo User',
}

export const jane: DemoUser = {
  id: 2,
  username: 'jane',
  password: 'another long passphrase',
  email: 'jane@example.com',
  nicename: 'jane',
  displayName: 'Jane Roe',
}

/** The parts of a response that a client of the site uses. */
export interface JsonResponse {
  readonly status: number
  /** JSON, parsed; `undefined` for an empty body. */
  readonly body: unknown
}

/** The parts of a request besides its method and path. */
interface Message {
  /** The bearer token. */
  readonly token?: string
  /** Sent as JSON. */
  readonly json?: unknown
  readonly userAgent?: string
}

/** Sends one request to a site. */
export type Send = (method: string, path: string, message?: Message) => Promise<JsonResponse>

/**
 * @param baseUrl origin and base path
 * @param keepAlive A host that stops waits briefly for the next request of an idle connection.
 */
export const createClient = (baseUrl: string, keepAlive = false): Send => {
  const { send } = createHttpClient(baseUrl, { keepAlive })
  return async (method, path, { token, json, userAgent } = {}) => {
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(userAgent !== undefined && { 'User-Agent': userAgent }),
    }
    return toJsonResponse(
      await send(method, path, { headers, ...(json !== undefined && { body: JSON.stringify(json) }) }),
    )
  }
}

export const toJsonResponse = ({ status, text }: HttpResponse): JsonResponse => ({
  status,
  body: text === '' ? undefined : parseJson(text),
})

/** The pair of tokens of a login or a refresh. */
export interface Tokens {
  readonly token: string
  readonly refreshToken: string
}

/** The target of requests: a site in this process or in another process. */
export interface Reachable {
  readonly send: Send
}

export const requestToken = (
  { send }: Reachable,
  { username, password }: Pick<DemoUser, 'username' | 'password'> = demo,
): Promise<JsonResponse> => send('POST', '/jwt-auth/v1/token', { json: { username, password } })

export const requestRefresh = ({ send }: Reachable, refreshToken: string): Promise<JsonResponse> =>
  send('POST', '/jwt-auth/v1/token/refresh', { json: { refresh_token: refreshToken } })

export const requestValidation = ({ send }: Reachable, token: string): Promise<JsonResponse> =>
  send('POST', '/jwt-auth/v1/token/validate', { token })

export const requestRevocation = ({ send }: Reachable, token: string): Promise<JsonResponse> =>
  send('POST', '/jwt-auth/v1/token/revoke', { token })

export const requestReports = ({ send }: Reachable, token: string): Promise<JsonResponse> =>
  send('GET', '/api/reports', { token })

/** Reads the tokens of a successful response. */
export const readTokens = ({ status, body }: JsonResponse): Tokens => {
  if (status !== 200) throw new Error(`Expected tokens, got ${status} ${JSON.stringify(body)}`)
  return { token: readTextMember(body, 'token'), refreshToken: readTextMember(body, 'refresh_token') }
}

export const logIn = async (site: Reachable, user?: DemoUser): Promise<Tokens> =>
  readTokens(await requestToken(site, user))

export const refresh = async (site: Reachable, refreshToken: string): Promise<Tokens> =>
  readTokens(await requestRefresh(site, refreshToken))
