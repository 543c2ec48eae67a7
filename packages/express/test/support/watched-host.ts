import { inspect } from 'node:util'
import type { SessionStorage } from '@jwt-auth/core'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { findSecrets, textsOf } from '@jwt-auth/test-support'
import { bearer, type HttpMessage, type HttpResponse, json, type Send } from '@jwt-auth/test-support/http-client'
import { parseJson, readMember } from '@jwt-auth/test-support/read-json'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { otherSecret, testSecret } from '@jwt-auth/test-support/token-forger'
import { expect, onTestFinished, vi } from 'vitest'
import {
  hashPassword,
  type JwtAuth,
  type JwtAuthOptions,
  jwtAuth,
  passwordUsers,
  type StoredUser,
} from '../../src/index.js'
import type { Framework } from './frameworks.js'
import { createGatedStorage } from './gated-storage.js'
import { issuer, startHost, type TestHost } from './test-host.js'
import { password } from './test-users.js'

/** The secrets that were used, each with a name. */
interface SecretBook {
  /** Secrets that must appear nowhere. */
  readonly secrets: Map<string, string | Buffer>
  /** Secrets that may appear only in the response that issues them. */
  readonly tokens: Map<string, string | Buffer>
  /** Wraps a storage and records the hashes that it receives. */
  readonly noteHashes: (storage: SessionStorage) => SessionStorage
  /** Records the tokens of a response, whole and in their secret parts. */
  readonly noteTokens: (text: string) => void
}

const createSecretBook = (known: Readonly<Record<string, string | Buffer>>): SecretBook => {
  const secrets = new Map<string, string | Buffer>(Object.entries(known))
  const tokens = new Map<string, string | Buffer>()

  const noteHash = (name: string, hash: string): void => {
    secrets.set(`${name} ${secrets.size}`, hash)
    secrets.set(`the bytes of ${name} ${secrets.size}`, Buffer.from(hash, 'base64url'))
  }
  const noteVerifiers = ({
    verifierHash,
    recentVerifiers,
  }: Pick<SessionRecord, 'verifierHash' | 'recentVerifiers'>) => {
    noteHash('a verifier hash', verifierHash)
    for (const recent of recentVerifiers) {
      noteHash('a replaced verifier hash', recent.verifierHash)
      noteHash('a salt', recent.salt)
    }
  }

  return {
    secrets,
    tokens,
    noteHashes: (storage) => ({
      ...storage,
      create: (session, options) => {
        noteHash('a selector hash', session.selectorHash)
        noteVerifiers(session)
        return storage.create(session, options)
      },
      rotate: (rotation, options) => {
        noteVerifiers(rotation)
        return storage.rotate(rotation, options)
      },
    }),
    noteTokens: (text) => {
      const body = parseJson(text)
      const [accessToken, refreshToken] = [readMember(body, 'token'), readMember(body, 'refresh_token')]
      if (typeof accessToken === 'string') {
        tokens.set(`access token ${tokens.size}`, accessToken)
        tokens.set(`a signature ${tokens.size}`, accessToken.split('.')[2] ?? '')
      }
      if (typeof refreshToken === 'string') {
        const bytes = Buffer.from(refreshToken.replace('jwtauth_rt_', ''), 'base64url')
        tokens.set(`refresh token ${tokens.size}`, refreshToken)
        tokens.set(`a selector ${tokens.size}`, bytes.subarray(0, 16))
        tokens.set(`a verifier ${tokens.size}`, bytes.subarray(16))
      }
    },
  }
}

// What a user typed by mistake, in the field of the password and in the field of the name.
const wrongPassword = 'battery staple horse incorrect'
const passwordAsName = 'my password, typed as a name'

const passwordHash = await hashPassword(password, { cost: 4 })
const ada: StoredUser = { id: 7, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada', passwordHash }

const users = passwordUsers({
  findByUsername: async (name) => (name === 'ada' ? ada : undefined),
  findById: async (id) => (id === ada.id ? ada : undefined),
  cost: 4,
})

/** A host whose output is kept: responses, the output of the process, and what `onError` and `onEvent` receive. */
export interface WatchedHost extends Pick<TestHost, 'auth' | 'storage'> {
  readonly book: SecretBook
  readonly send: Send
  /** Keeps a value that an application may log. */
  readonly keep: (value: unknown) => void
  /** Counts the responses, the writes of the process, and the values that the application received. */
  readonly counts: () => { readonly responses: number; readonly written: number; readonly heard: number }
  /** Returns the names of the secrets in what was kept. */
  readonly search: () => readonly string[]
}

/** Starts a watched host. A second service on the same storage, below `/quiet`, has no `onError` and writes to stderr. */
export const startWatchedHost = async (
  framework: Framework,
  storage: SessionStorage,
  changes: Partial<JwtAuthOptions> = {},
): Promise<WatchedHost> => {
  const book = createSecretBook({
    'the signing secret': testSecret,
    'the older signing secret': otherSecret,
    'the password': password,
    'a wrong password': wrongPassword,
    'a password typed as a name': passwordAsName,
    'the password hash': passwordHash,
  })
  const written = watchOutput()
  const heard: unknown[] = []
  const responses: string[] = []
  const keep = (value: unknown): void => {
    heard.push(value)
  }
  const gated = createGatedStorage(book.noteHashes(storage))
  const options = {
    secret: [testSecret, otherSecret],
    users,
    onEvent: keep,
    rateLimits: false,
    ...changes,
  } as const
  const clock = createTestClock()
  const quiet = jwtAuth({ ...options, issuer, storage: gated.port, ...withSystem({ now: clock.now }) })
  const host = await startHost(framework, {
    storage: gated,
    clock,
    options: { ...options, onError: keep },
    routes: () => [{ path: '/quiet', run: quiet }],
  })
  keepService(host.auth, keep)

  const send: Send = async (...request) => {
    // The default onError writes one record a second.
    clock.advanceSeconds(1)
    const response = await host.send(...request)
    if (!isWelcome(response)) responses.push(inspect(response))
    else {
      // The response that issues tokens contains these and no other secret.
      responses.push(inspect(response.headers))
      book.noteTokens(response.text)
      expect(findSecrets(book.secrets, [response.text])).toEqual([])
    }
    return response
  }

  return {
    ...host,
    book,
    send,
    keep,
    counts: () => ({ responses: responses.length, written: written.length, heard: heard.length }),
    search: () =>
      findSecrets(new Map([...book.secrets, ...book.tokens]), [...written, ...responses, ...heard.flatMap(textsOf)]),
  }
}

const isWelcome = ({ status, text }: HttpResponse): boolean => status === 200 && text.includes('refresh_token')

const keepService = (auth: JwtAuth, keep: (value: unknown) => void): void => {
  for (const value of [auth, auth.guard(), auth.sessions, auth.verify, auth.close]) keep(value)
}

/** Records what this process writes while the test runs. */
const watchOutput = (): readonly string[] => {
  const written: string[] = []
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written.push(Buffer.from(chunk).toString())
      return true
    })
    onTestFinished(() => spy.mockRestore())
  }
  return written
}

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
    () => auth.sessions.revoke(7, 'A'.repeat(22)),
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
