import type { SessionRecord } from '@jwt-auth/core/adapter'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { createHeldCalls } from './held-calls.js'
import { createHostUsers, type ModelUserId, modelUserIds } from './host-users.js'
import { createClocks, createInstance, type Instance, type InstanceContext, type Subject } from './model-instance.js'
import type { View } from './operations.js'
import { type PossibleSessions, watchSession } from './possible-sessions.js'
import { modelPolicy, openModelSession } from './reference-session.js'

/** A session that was stored, and everything that may have happened to it. */
export interface WatchedSession {
  readonly name: string
  readonly id: string
  readonly userId: ModelUserId
  /** Whether the session is bound to the key of its client. */
  readonly isBound: boolean
  readonly possible: PossibleSessions
}

/**
 * Two instances of one service, their storage and users, and everything that happened between them.
 */
export type World = Awaited<ReturnType<typeof createWorld>>

/** What a world may have in place of the values of `modelPolicy`. */
export interface WorldSettings {
  readonly refreshGraceSeconds: number
  /** How far the clock of the instance `B` is ahead of the clock of `A`. */
  readonly clockLeadMs: number
}

/**
 * Creates a world without sessions. `onCreated` is called with each session at the moment at which
 * it is stored, and with the operation that stored it.
 */
export const createWorld = async (
  subject: Subject,
  { refreshGraceSeconds, clockLeadMs }: WorldSettings,
  onCreated: InstanceContext['onCreated'],
) => {
  const journal = createJournal()
  const sessions: WatchedSession[] = []
  const rotating = new Set<number>()
  const context: InstanceContext = {
    subject,
    refreshGraceSeconds,
    storage: await subject.createStorage(),
    users: createHostUsers(),
    calls: createHeldCalls(journal.note),
    clocks: createClocks(clockLeadMs),
    randomBytes: createTestSystem().randomBytes,
    onCreated,
    onRotated: (operation) => rotating.add(operation),
  }
  if (refreshGraceSeconds !== modelPolicy.refreshGraceSeconds)
    journal.note(`the grace window is ${refreshGraceSeconds} seconds`)
  if (clockLeadMs !== 0) journal.note(`the clock of B is ${clockLeadMs} ms ahead of the clock of A`)

  const { storage, users, calls, clocks } = context
  const instances = new Map<string, Instance>()
  return {
    ...journal,
    calls,
    clocks,
    users,
    storage,
    sessions,
    /**
     * Watches a session that was stored by a login with this version of the password. Reports a
     * record that the model does not expect.
     */
    addSession: (record: SessionRecord, version: number | undefined): WatchedSession | undefined => {
      const name = `s${sessions.length + 1}`
      const session = toWatchedSession(name, record, { version, graceMs: refreshGraceSeconds * 1_000 })
      if (typeof session === 'string') {
        journal.reportViolation(session)
        return undefined
      }
      sessions.push(session)
      journal.note(`   (session ${name} of user ${session.userId} is stored)`)
      return session
    },
    /** The operations that wrote a rotation, or confirmed one. */
    rotating,
    /** Returns an instance. Starts the instance when it is not running. */
    instance: (name: string): Instance => {
      const running = instances.get(name) ?? createInstance(name, context)
      instances.set(name, running)
      return running
    },
    /** Replaces an instance by one that remembers nothing. */
    restart: (name: string): void => {
      instances.delete(name)
    },
    /**
     * Starts to observe the world for an operation. The result returns what the operation may have
     * seen so far.
     */
    openView: (operation: number, userId: ModelUserId) => {
      const observedUsers = users.observe(userId)
      return (): View => ({ instants: clocks.seenBy(operation), users: observedUsers() })
    },
  }
}

/** Returns the session of a record, or why the model does not expect the record. */
const toWatchedSession = (
  name: string,
  { id, userId, dpopThumbprint, ...record }: SessionRecord,
  { version, graceMs }: { readonly version: number | undefined; readonly graceMs: number },
): WatchedSession | string => {
  const known = modelUserIds.find((one) => one === userId)
  if (known === undefined) return 'a session was stored for a user that does not exist'
  if (version === undefined || record.credentialVersion !== String(version))
    return 'a session was stored with a version other than that of the typed password'
  const opened = openModelSession(record.createdAt, version, graceMs)
  if (opened.idleEnd !== record.idleExpiresAt || opened.absoluteEnd !== record.absoluteExpiresAt)
    return 'a session was stored with other expiries than its policy has'
  return { name, id, userId: known, isBound: dpopThumbprint !== null, possible: watchSession(opened) }
}

/** The steps of one schedule, and the first promise that it broke. */
const createJournal = () => {
  const steps: string[] = []
  let first: string | undefined
  return {
    steps,
    note: (step: string): void => {
      steps.push(step)
    },
    /** Records a broken promise. Only the first one counts. */
    reportViolation: (violation: string): void => {
      first ??= violation
    },
    violation: () => first,
  }
}
