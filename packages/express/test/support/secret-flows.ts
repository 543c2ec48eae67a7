import { bearer, json } from './flows.js'
import type { Message } from './http-client.js'
import { parseJson, readMember } from './read-json.js'
import { password } from './test-users.js'
import { passwordAsName, type WatchedHost, wrongPassword } from './watched-host.js'

type Request = readonly [method: string, path: string, message?: Message]

/** Every route and the guard, with what is good, what is not, and secrets where they do not belong. */
export const useEverything = async (host: WatchedHost, tokens: Tokens, base = ''): Promise<void> => {
  await logIn(host, base)
  for (const [method, path, message] of [...goodRequests(tokens), ...badRequests(tokens), ...endingRequests(tokens)]) {
    await host.send(method, path.startsWith('/reports') ? path : `${base}/jwt-auth/v1${path}`, message)
  }
}

/** What a host does beside the routes; keeps what it is answered, and what is thrown. */
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

/** What a login gave. */
export interface Tokens {
  readonly token: string
  readonly refreshToken: string
}

/** Logs ada in, or tries to: there are no tokens then. */
export const logIn = async ({ send }: WatchedHost, base = ''): Promise<Tokens> => {
  const { text } = await send('POST', `${base}/jwt-auth/v1/token`, json({ username: 'ada', password }))
  const body = parseJson(text)
  return { token: String(readMember(body, 'token')), refreshToken: String(readMember(body, 'refresh_token')) }
}

const goodRequests = ({ token, refreshToken }: Tokens): readonly Request[] => [
  ['POST', '/token/refresh', json({ refresh_token: refreshToken })],
  ['POST', '/refresh', json({ refresh_token: refreshToken })],
  ['POST', '/token/validate', bearer(token)],
  ['GET', '/me', bearer(token)],
  ['GET', '/reports', bearer(token)],
]

const badRequests = ({ token, refreshToken }: Tokens): readonly Request[] => [
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
