import { inspect } from 'node:util'
import type { SessionStorage } from '@jwt-auth/core'
import { findSecrets, textsOf } from '@jwt-auth/test-support'
import { expect, onTestFinished, vi } from 'vitest'
import {
  hashPassword,
  type JwtAuth,
  type JwtAuthOptions,
  jwtAuth,
  passwordUsers,
  type StoredUser,
} from '../../src/index.js'
import { breakableStorage } from './breakable-storage.js'
import { createClock } from './clock.js'
import { otherSecret, testSecret } from './forge-token.js'
import type { Framework } from './frameworks.js'
import type { Answer, Send } from './http-client.js'
import { createSecretBook, type SecretBook } from './secret-book.js'
import { issuer, startHost, type TestHost } from './test-host.js'
import { password } from './test-users.js'

// What somebody who logs in typed by mistake, in the one field and in the other.
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

/** A host of which everything is kept that leaves it, on the way to a client and on the way to its own log. */
export interface WatchedHost extends Pick<TestHost, 'auth' | 'storage'> {
  readonly book: SecretBook
  readonly send: Send
  /** Keeps a value that the service gave to the host, as a host's log might. */
  readonly keep: (value: unknown) => void
  /** How much was kept: answers, what the process wrote, what `onError` and `onEvent` heard. */
  readonly counts: () => { readonly answers: number; readonly written: number; readonly heard: number }
  /** The secrets that were found in what was kept. */
  readonly search: () => readonly string[]
}

/** Starts one. A second service on the same storage, below `/quiet`, has no `onError` and writes to stderr. */
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
  const answers: string[] = []
  const keep = (value: unknown): void => {
    heard.push(value)
  }
  const breakable = breakableStorage(book.noteHashes(storage))
  const options = {
    secret: [testSecret, otherSecret],
    serviceSecret,
    users,
    onEvent: keep,
    rateLimits: false,
    ...changes,
  } as const
  const clock = createClock()
  const quiet = jwtAuth({ ...options, issuer, storage: breakable, system: { now: clock.now } })
  const host = await startHost(framework, {
    storage: breakable,
    clock,
    options: { ...options, onError: keep },
    routes: () => [{ path: '/quiet', run: quiet }],
  })
  keepService(host.auth, keep)

  const send: Send = async (...request) => {
    // The default onError writes one record a second.
    clock.advanceSeconds(1)
    const answer = await host.send(...request)
    if (!isWelcome(answer)) answers.push(inspect(answer))
    else {
      // The one answer that hands tokens out. It holds these and no other secret.
      answers.push(inspect(answer.headers))
      book.noteTokens(answer.text)
      expect(findSecrets(book.secrets, [answer.text])).toEqual([])
    }
    return answer
  }

  return {
    ...host,
    book,
    send,
    keep,
    counts: () => ({ answers: answers.length, written: written.length, heard: heard.length }),
    search: () =>
      findSecrets(new Map([...book.secrets, ...book.tokens]), [...written, ...answers, ...heard.flatMap(textsOf)]),
  }
}

const isWelcome = ({ status, text }: Answer): boolean => status === 200 && text.includes('refresh_token')

const keepService = (auth: JwtAuth, keep: (value: unknown) => void): void => {
  for (const value of [auth, auth.guard(), auth.sessions, auth.verify, auth.close]) keep(value)
}

/** Everything this process writes while the test runs. */
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
