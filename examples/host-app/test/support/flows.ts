import { readTextMember } from '@jwt-auth/test-support/read-json'
import { type DemoUser, demo } from './demo-users.js'
import type { JsonResponse, Send } from './http-client.js'

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
