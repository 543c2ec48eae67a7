import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import type { CallOptions, SessionStorage } from '@jwt-auth/core'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import type { sessionStorageMethods } from '@jwt-auth/core/internal'
import { fullSession, sampleRotation, start, toRotated } from './sample-session.js'
import { assertStored, createAll, toEnded, userOf } from './stored-sessions.js'

/** Calls one method of the port. */
export type PortCall = (storage: SessionStorage, options?: CallOptions) => Promise<unknown>

// No adapter writes one of these texts into an error by itself.
const texts = (whose: string) => ({
  userId: `${whose} user`,
  credentialVersion: `${whose} version`,
  dpopThumbprint: `${whose} thumbprint`,
  userAgent: `${whose} agent`,
  ipAddress: `${whose} address`,
  lastUserAgent: `${whose} last agent`,
  lastIpAddress: `${whose} last address`,
  label: `${whose} label`,
  attributes: `${whose} attributes`,
  recentVerifiers: [{ verifierHash: `${whose} recent verifier`, salt: `${whose} salt`, replacedAt: start }],
})

/** The session that the calls look up and change. */
export const known = fullSession(1, texts('known'))

/** The session that `deleteExpired` deletes. */
const expired = fullSession(2, { ...texts('expired'), absoluteExpiresAt: start })

/** The session that `create` stores. */
export const added = fullSession(3, texts('added'))

/** The rotation that `rotate` writes. */
const rotation = { ...sampleRotation(known), recentVerifiers: texts('rotation').recentVerifiers }

/** The time and reason that the calls which end sessions write. */
export const ending = { endedAt: start, endReason: 'known reason' }

/** One call for each method. Call {@link storeForCalls} first. */
export const portCalls: Readonly<Record<(typeof sessionStorageMethods)[number], PortCall>> = {
  create: (storage, options) => storage.create(added, options),
  findByIds: (storage, options) => storage.findByIds([known.id], options),
  findBySelectorHash: (storage, options) => storage.findBySelectorHash(known.selectorHash, options),
  rotate: (storage, options) => storage.rotate(rotation, options),
  end: (storage, options) => storage.end({ id: known.id, ...ending }, options),
  endAllForUser: (storage, options) => storage.endAllForUser({ ...userOf(known), ...ending }, options),
  list: (storage, options) => storage.list({ ...userOf(known), activeAt: start, limit: 10 }, options),
  endCreatedBefore: (storage, options) =>
    storage.endCreatedBefore({ issuer: known.issuer, createdBefore: start + 10, limit: 10, ...ending }, options),
  deleteExpired: (storage, options) => storage.deleteExpired({ before: start, limit: 10 }, options),
}

/**
 * What a call writes: a session before and after the write. `undefined` stands for a missing
 * session.
 */
interface Write {
  readonly session: SessionRecord
  readonly before: SessionRecord | undefined
  readonly after: SessionRecord | undefined
}

const ended = { session: known, before: known, after: toEnded(known, ending) }

/** What the calls write after {@link storeForCalls}, by the methods that write. */
export const writes = {
  create: { session: added, before: undefined, after: added },
  rotate: { session: known, before: known, after: toRotated(known, rotation) },
  end: ended,
  endAllForUser: ended,
  endCreatedBefore: ended,
  deleteExpired: { session: expired, before: expired, after: undefined },
} as const satisfies Partial<Record<keyof typeof portCalls, Write>>

/** The name of the field of every text that the calls pass to a storage. */
const boundTexts = new Map<string, string>()
// Visits every member, also of nested objects.
JSON.stringify([known, added, rotation, ending], (name, value: unknown) => {
  if (typeof value === 'string') boundTexts.set(value, name)
  return value
})

/** Stores the sessions that the calls use. */
export const storeForCalls = (storage: SessionStorage): Promise<void> => createAll(storage, [known, expired])

/** Asserts that no call has taken place since {@link storeForCalls}. */
export const assertNoCallTookPlace = (storage: SessionStorage): Promise<void> =>
  assertStored(storage, [known, expired], [known, expired, added])

/** Asserts that an error, logged with its causes, contains no text that was passed to a call. */
export const assertNoBoundText = (error: unknown): void => {
  const logged = `${inspect(error)} ${messagesOf(error)}`
  const found = new Set([...boundTexts].flatMap(([text, name]) => (logged.includes(text) ? [name] : [])))
  // This message names the fields and omits the texts.
  assert.ok(found.size === 0, `the error contains the value of: ${[...found].join(', ')}`)
}

/** Asserts that a call rejects with an error that contains no text that was passed to a call. */
export const assertRejectsWithoutBoundText = (call: () => unknown): Promise<void> =>
  assert.rejects(
    async () => call(),
    (error) => {
      assertNoBoundText(error)
      return true
    },
  )

const messagesOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : String(error)

/** Asserts that a call leaves no listener on its signal when it has settled. */
export const assertLeavesNoListener = async (name: string, call: PortCall, storage: SessionStorage): Promise<void> => {
  const { signal } = new AbortController()
  await Promise.allSettled([call(storage, { signal })])
  assert.ok(getEventListeners(signal, 'abort').length === 0, `${name} left a listener`)
}
