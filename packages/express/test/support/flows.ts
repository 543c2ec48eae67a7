import { bearer, type HttpResponse, json } from '@jwt-auth/test-support/http-client'
import { parseJson, readTextMember } from '@jwt-auth/test-support/read-json'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import { expect } from 'vitest'
import type { TestHost } from './test-host.js'
import { password } from './test-users.js'

/** The tokens of a login or a refresh. */
export interface Tokens {
  readonly token: string
  readonly refreshToken: string
}

export const requestToken = ({ send }: TestHost, username = 'ada', given = password): Promise<HttpResponse> =>
  send('POST', '/jwt-auth/v1/token', json({ username, password: given }))

export const requestRefresh = ({ send }: TestHost, refreshToken: string): Promise<HttpResponse> =>
  send('POST', '/jwt-auth/v1/token/refresh', json({ refresh_token: refreshToken }))

export const requestValidation = ({ send }: TestHost, token: string): Promise<HttpResponse> =>
  send('POST', '/jwt-auth/v1/token/validate', bearer(token))

export const requestRevocation = ({ send }: TestHost, token: string): Promise<HttpResponse> =>
  send('POST', '/jwt-auth/v1/token/revoke', bearer(token))

/** Reads the tokens of a successful response. */
export const readTokens = (response: HttpResponse): Tokens => {
  expect(response.status, response.text).toBe(200)
  const body = parseJson(response.text)
  return { token: readTextMember(body, 'token'), refreshToken: readTextMember(body, 'refresh_token') }
}

export const logIn = async (host: TestHost, username = 'ada'): Promise<Tokens> =>
  readTokens(await requestToken(host, username))

/** Opens a session for ada without a login. */
/** Returns the session of an access token. */
export const sessionOf = (token: string): string => String(decodeToken(token).claims['sid'])

export const openSession = async ({ auth }: TestHost): Promise<Tokens> => {
  const { accessToken, refreshToken } = await auth.sessions.create(7)
  return { token: accessToken, refreshToken }
}

export const refresh = async (host: TestHost, refreshToken: string): Promise<Tokens> =>
  readTokens(await requestRefresh(host, refreshToken))
