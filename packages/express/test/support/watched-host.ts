import { inspect } from 'node:util'
import type { SessionStorage } from '@jwt-auth/core'
import { findSecrets, textsOf } from '@jwt-auth/test-support'
import type { HttpResponse, Send } from '@jwt-auth/test-support/http-client'
import { createTestClock } from '@jwt-auth/test-support/test-clock'
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
import { createSecretBook, type SecretBook } from './secret-book.js'
import { issuer, startHost, type TestHost } from './test-host.js'
import { password } from './test-users.js'

// What a user typed by mistake, in the field of the password and in the field of the name.
export const wrongPassword = 'battery staple horse incorrect'
export const passwordAsName = 'my password, typed as a name'

const passwordHash = await hashPassword(password, { cost: 4 })
const ada: StoredUser = { id: 7, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada', passwordHash }

const users = passwordUsers({
  findByUsername: async (name) => (name === 'ada' ? ada : undefined),
  findById: async (id) => (id === ada.id ? ada : undefined),
  cost: 4,
})

const serviceSecret = 'Rk7-mW2x_Qs9Yd4LbT0vNc6Hf1Gj8Zp3UeA5'

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
    'the service secret': serviceSecret,
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
    serviceSecret,
    users,
    onEvent: keep,
    rateLimits: false,
    ...changes,
  } as const
  const clock = createTestClock()
  const quiet = jwtAuth({ ...options, issuer, storage: gated.port, system: { now: clock.now } })
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
