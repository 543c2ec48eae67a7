import { createTokenService, type SessionStorage } from '@jwt-auth/core'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import type { System } from '@jwt-auth/core/internal'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { testIssuer } from '@jwt-auth/test-support/test-service'
import { type DefectName, plantDefect } from '../defects.js'
import { currentOperation, type HeldCalls } from './held-calls.js'
import type { HostUsers } from './host-users.js'
import { modelPolicy } from './reference-session.js'

/** The service under test. */
export interface Subject {
  readonly createStorage: () => Promise<SessionStorage> | SessionStorage
  /** A defect at its ports. @default none */
  readonly defect?: DefectName
}

/** One process of the service. */
export type Instance = ReturnType<typeof createInstance>

/** What all instances share. */
export interface InstanceContext {
  readonly subject: Subject
  readonly storage: SessionStorage
  readonly users: HostUsers
  readonly calls: HeldCalls
  readonly clocks: Clocks
  readonly randomBytes: System['randomBytes']
  readonly refreshGraceSeconds: number
  /**
   * Called with each session at the moment at which it is stored, and with the operation that
   * stored it.
   */
  readonly onCreated: (record: SessionRecord, operation: number) => void
  /** Called with each operation at the moment at which it writes a rotation. */
  readonly onRotated: (operation: number) => void
}

const secret = 'kP3vT9xQ-7mZ_1rWdY5uB8sLcE2hGfNa'

/** Creates an instance whose calls to storage and users wait. `fireTimers` ends all of its deadlines. */
export const createInstance = (name: string, context: InstanceContext) => {
  const { subject, storage, users, calls, clocks, randomBytes, refreshGraceSeconds, onCreated, onRotated } = context
  const { startTimer, fireTimers } = createTestClock()
  const service = createTokenService({
    ...modelPolicy,
    purgeIntervalSeconds: false,
    refreshGraceSeconds,
    secret,
    issuer: testIssuer,
    dpop: { bind: 'all-tokens' },
    ...plantDefect(subject.defect, {
      users: calls.hold(name, 'users', users),
      storage: calls.hold(name, 'storage', storage, ({ method, args, operation }) => {
        if (operation === undefined) return
        if (method === 'create' && isRecord(args[0])) onCreated(args[0], operation)
        if (method === 'rotate') onRotated(operation)
      }),
    }),
    onError: () => {},
    ...withSystem({ now: () => clocks.readFor(name), randomBytes, startTimer }),
  })
  return { name, service, fireTimers }
}

const isRecord = (value: unknown): value is SessionRecord =>
  typeof value === 'object' && value !== null && 'selectorHash' in value

/** The clocks of both instances, in milliseconds since 1970. */
type Clocks = ReturnType<typeof createClocks>

const startTime = Date.UTC(2026, 0, 1)

/**
 * Creates clocks that only the test moves. The clock of `B` is ahead of the clock of `A`, at first
 * by `firstLeadMs`.
 */
export const createClocks = (firstLeadMs: number) => {
  const seen = new Map<number, Set<number>>()
  let now = startTime
  let leadMs = firstLeadMs

  const timeOf = (instance: string): number => (instance === 'B' ? now + leadMs : now)

  return {
    /** Returns the time on the clock of an instance. */
    timeOf,
    /** Returns the same as `timeOf`, and remembers that the current operation has seen it. */
    readFor: (instance: string): number => {
      const time = timeOf(instance)
      const operation = currentOperation.getStore()
      if (operation !== undefined) seen.set(operation, (seen.get(operation) ?? new Set()).add(time))
      return time
    },
    /** Returns every time that an operation has seen. */
    seenBy: (operation: number): readonly number[] => [...(seen.get(operation) ?? [])],
    /** Returns the time on the clock that is ahead. */
    latest: (): number => now + Math.max(0, leadMs),
    advance: (milliseconds: number): void => {
      now += milliseconds
    },
    /** Sets the clock of `B`. */
    setLead: (next: number): void => {
      leadMs = next
    },
  }
}
