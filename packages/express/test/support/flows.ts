import type { OutgoingHttpHeaders } from 'node:http'
import { expect } from 'vitest'
import type { Answer, Message } from './http-client.js'
import { parseJson, readTextMember } from './read-json.js'
import type { TestHost } from './test-host.js'
import { password } from './test-users.js'

/** The pair of tokens that a login or a refresh gives. */
export interface Tokens {
  readonly token: string
  readonly refreshToken: string
}

/** A request with a JSON body. */
export const json = (body: unknown, headers: OutgoingHttpHeaders = {}): Message => ({
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** A request with a bearer token. */
export const bearer = (token: string): Message => ({ headers: { Authorization: `Bearer ${token}` } })

export const requestToken = ({ send }: TestHost, username = 'ada', given = password): Promise<Answer> =>
  send('POST', '/jwt-auth/v1/token', json({ username, password: given }))

export const requestRefresh = ({ send }: TestHost, refreshToken: string): Promise<Answer> =>
  send('POST', '/jwt-auth/v1/token/refresh', json({ refresh_token: refreshToken }))

export const requestValidation = ({ send }: TestHost, token: string): Promise<Answer> =>
  send('POST', '/jwt-auth/v1/token/validate', bearer(token))

export const requestRevocation = ({ send }: TestHost, token: string): Promise<Answer> =>
  send('POST', '/jwt-auth/v1/token/revoke', bearer(token))

/** Reads the tokens of a successful answer. */
export const readTokens = (answer: Answer): Tokens => {
  expect(answer.status, answer.text).toBe(200)
  const body = parseJson(answer.text)
  return { token: readTextMember(body, 'token'), refreshToken: readTextMember(body, 'refresh_token') }
}

export const logIn = async (host: TestHost, username = 'ada'): Promise<Tokens> =>
  readTokens(await requestToken(host, username))

/** Opens a session for ada without a login. */
export const openSession = async ({ auth }: TestHost): Promise<Tokens> => {
  const { accessToken, refreshToken } = await auth.sessions.create(7)
  return { token: accessToken, refreshToken }
}

export const refresh = async (host: TestHost, refreshToken: string): Promise<Tokens> =>
  readTokens(await requestRefresh(host, refreshToken))
