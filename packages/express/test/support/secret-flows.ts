import { bearer, type HttpMessage, json } from '@jwt-auth/test-support/http-client'
import { parseJson, readMember } from '@jwt-auth/test-support/read-json'
import { password } from './test-users.js'
import { passwordAsName, type WatchedHost, wrongPassword } from './watched-host.js'

type Request = readonly [method: string, path: string, message?: HttpMessage]

/** Requests every route and the guard with valid and invalid values, and with secrets in wrong places. */
export const useEverything = async (host: WatchedHost, tokens: Tokens, base = ''): Promise<void> => {
  await logIn(host, base)
  for (const [method, path, message] of [
    ...validRequests(tokens),
    ...invalidRequests(tokens),
    ...endingRequests(tokens),
  ]) {
    await host.send(method, path.startsWith('/reports') ? path : `${base}/jwt-auth/v1${path}`, message)
  }
}

/** Calls the service as an application does, and keeps what is returned and thrown. */
export const useService = async ({ auth, keep }: WatchedHost, accessToken: string): Promise<void> => {
  const calls: readonly (() => Promise<unknown>)[] = [
    () => auth.verify(accessToken),
    () => auth.verify(`${accessToken}.x`),
    () => auth.verify(`${accessToken.slice(0, -4)}AAAA`),
    () => auth.sessions.list(7),
    () => auth.sessions.revoke({ userId: 7, sessionId: 'A'.repeat(22) }),
    () => auth.sessions.revokeAll(99),
    () => auth.sessions.purge(),
  ]
  for (const call of calls) keep(await call().catch((thrown: unknown) => thrown))
}

/** The tokens of a login. */
export interface Tokens {
  readonly token: string
  readonly refreshToken: string
}

/** Logs ada in. The tokens are the text `undefined` when the login fails. */
export const logIn = async ({ send }: WatchedHost, base = ''): Promise<Tokens> => {
  const { text } = await send('POST', `${base}/jwt-auth/v1/token`, json({ username: 'ada', password }))
  const body = parseJson(text)
  return { token: String(readMember(body, 'token')), refreshToken: String(readMember(body, 'refresh_token')) }
}

const validRequests = ({ token, refreshToken }: Tokens): readonly Request[] => [
  ['POST', '/token/refresh', json({ refresh_token: refreshToken })],
  ['POST', '/refresh', json({ refresh_token: refreshToken })],
  ['POST', '/token/validate', bearer(token)],
  ['GET', '/me', bearer(token)],
  ['GET', '/reports', bearer(token)],
]

const invalidRequests = ({ token, refreshToken }: Tokens): readonly Request[] => [
  ['POST', '/token', json({ username: 'ada', password: wrongPassword })],
  ['POST', '/token', json({ username: passwordAsName, password: wrongPassword })],
  ['POST', '/token', json({ username: 'ada', password: [password] })],
  ['POST', '/token', { ...json({}), body: `{"username":"ada","password":"${password}"` }],
  ['POST', '/token', { headers: { 'Content-Type': 'text/plain' }, body: password }],
  ['POST', `/token?password=${encodeURIComponent(password)}`, json({ username: 'ada' })],
  ['GET', `/${encodeURIComponent(password)}`],
  ['PUT', '/token', json({ username: 'ada', password })],
  ['POST', '/token/refresh', json({ refresh_token: `${refreshToken}x` })],
  ['POST', '/token/refresh', json({ refresh_token: token })],
  ['POST', '/token/validate', bearer(`${token.slice(0, -4)}AAAA`)],
  ['POST', '/token/validate', bearer(refreshToken)],
  ['POST', `/token/validate?access_token=${token}`],
  ['GET', '/me', { headers: { Authorization: `Bearer ${token} ${token}` } }],
  ['GET', '/reports', { headers: { Authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` } }],
  ['GET', '/reports', { headers: { Cookie: `token=${token}` } }],
]

const endingRequests = ({ token, refreshToken }: Tokens): readonly Request[] => [
  ['POST', '/token/revoke', bearer(token)],
  ['POST', '/token/revoke', bearer(token)],
  ['POST', '/token/refresh', json({ refresh_token: refreshToken })],
]
