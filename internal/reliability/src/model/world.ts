import { createHash } from 'node:crypto'
import type {
  SessionRecord,
  SessionStorage,
  TokenService,
  createTokenService as TokenServiceFactory,
} from '@jwt-auth/core'
import { createHeldCalls, currentOperation, type HeldCalls } from './held-calls.js'
import { createHostUsers, type HostUsers, type ModelUserId, modelUserIds } from './host-users.js'
import type { View } from './operations.js'
import { type PossibleSessions, watchSession } from './possible-sessions.js'
import { type ModelUser, modelPolicy, openModelSession } from './reference-session.js'

type CreateTokenService = typeof TokenServiceFactory

/** The service as it stands under test: a mutant of it, or another adapter, fits as well. */
export interface Subject {
  readonly createTokenService: CreateTokenService
  readonly createStorage: () => Promise<SessionStorage> | SessionStorage
}

/** One process of the service. */
export interface Instance {
  readonly name: string
  readonly service: TokenService
  /** Lets every deadline of this process pass. */
  readonly fireTimers: () => void
  hasCrashed: boolean
}

export interface WatchedSession {
  readonly name: string
  readonly id: string
  readonly userId: ModelUserId
  readonly possible: PossibleSessions
}

/** What a world asks and tells about the logins in it. */
export interface Logins {
  /** Returns the version of the password that an operation typed; `undefined` for an operation that is no login. */
  readonly typedVersionOf: (operation: number) => number | undefined
  /** Called with each session at the instant at which it is stored, and with the operation that stored it. */
  readonly onOpened: (session: WatchedSession, record: SessionRecord, operation: number) => void
}

/** Two processes of one service, its storage and its users, and everything that has happened among them. */
export interface World {
  readonly calls: HeldCalls
  readonly users: HostUsers
  readonly storage: SessionStorage
  readonly sessions: readonly WatchedSession[]
  readonly instance: (name: string) => Instance
  readonly restart: (name: string) => void
  /** Reads the clock of an instance. */
  readonly clockOf: (instance: string) => number
  /** Reads the clock that is ahead of the others. */
  readonly latestClock: () => number
  /** What an operation that begins now will have seen of the world. */
  readonly openView: (operation: number, userId: ModelUserId) => () => View
  readonly advanceClock: (milliseconds: number) => void
  readonly changeUser: (id: ModelUserId, change: (user: ModelUser) => ModelUser | undefined) => void
  readonly note: (step: string) => void
  /** Says that a promise is broken; the first one counts. */
  readonly accuse: (violation: string) => void
  readonly steps: readonly string[]
  readonly violation: () => string | undefined
}

/** What a world may have otherwise than `modelPolicy` has it. */
export interface WorldSettings {
  readonly refreshGraceSeconds: number
  /** How far the clock of the instance `B` is ahead of the clock of `A`. */
  readonly clockLeadMs: number
}

const start = Date.UTC(2026, 0, 1)
const secret = 'kP3vT9xQ-7mZ_1rWdY5uB8sLcE2hGfNa'

export const createWorld = async (
  subject: Subject,
  { typedVersionOf, onOpened }: Logins,
  { refreshGraceSeconds, clockLeadMs }: WorldSettings = { ...modelPolicy, clockLeadMs: 0 },
): Promise<World> => {
  const steps: string[] = []
  const note = (step: string): void => void steps.push(step)
  let violation: string | undefined
  const accuse = (found: string): void => {
    violation ??= found
  }

  if (refreshGraceSeconds !== modelPolicy.refreshGraceSeconds)
    note(`the grace window is ${refreshGraceSeconds} seconds`)
  if (clockLeadMs !== 0) note(`the clock of B is ${clockLeadMs} ms ahead of the clock of A`)

  let now = start
  let draws = 0
  const users = createHostUsers()
  const storage = await subject.createStorage()
  const calls = createHeldCalls(note)
  const sessions: WatchedSession[] = []
  const instances = new Map<string, Instance>()
  const pasts = new Map<ModelUserId, (ModelUser | undefined)[]>(modelUserIds.map((id) => [id, [users.find(id)]]))
  const instants = new Map<number, Set<number>>()

  const clockOf = (instance: string): number => (instance === 'B' ? now + clockLeadMs : now)

  const readClock = (instance: string): number => {
    const operation = currentOperation.getStore()
    const read = clockOf(instance)
    if (operation !== undefined) instants.set(operation, (instants.get(operation) ?? new Set()).add(read))
    return read
  }

  const openWatched = (record: SessionRecord, operation: number): void => {
    const userId = modelUserIds.find((id) => id === record.userId)
    if (userId === undefined) {
      accuse('a session was stored for a user that does not exist')
      return
    }
    const version = typedVersionOf(operation)
    if (version === undefined || record.credentialVersion !== String(version)) {
      accuse(`#${operation}: a session was stored under another version than that of the password that was typed`)
      return
    }
    const opened = openModelSession(record.createdAt, version, refreshGraceSeconds * 1_000)
    if (opened.idleEnd !== record.idleExpiresAt || opened.absoluteEnd !== record.absoluteExpiresAt) {
      accuse('a session was stored with other ends than its policy gives it')
    }
    const name = `s${sessions.length + 1}`
    const session = { name, id: record.id, userId, possible: watchSession(opened) }
    sessions.push(session)
    note(`   (session ${name} of user ${userId} is stored)`)
    onOpened(session, record, operation)
  }

  const createInstance = (name: string): Instance => {
    const timers = new Set<() => void>()
    const heldStorage = calls.hold(name, 'storage', storage, ({ method, args, operation }) => {
      if (method === 'create' && operation !== undefined && isRecord(args[0])) openWatched(args[0], operation)
    })
    const service = subject.createTokenService({
      ...modelPolicy,
      refreshGraceSeconds,
      secret,
      issuer: 'https://api.example.com',
      users: calls.hold(name, 'users', users),
      storage: heldStorage,
      onError: () => {},
      system: {
        now: () => readClock(name),
        randomBytes: (size) => {
          draws += 1
          return createHash('sha512').update(`draw ${draws}`).digest().subarray(0, size)
        },
        startTimer: (_, callback) => {
          timers.add(callback)
          return () => timers.delete(callback)
        },
      },
    })
    const fireTimers = (): void => {
      for (const callback of [...timers]) {
        timers.delete(callback)
        callback()
      }
    }
    return { name, service, fireTimers, hasCrashed: false }
  }

  const instance = (name: string): Instance => {
    const running = instances.get(name) ?? createInstance(name)
    instances.set(name, running)
    return running
  }

  return {
    calls,
    users,
    storage,
    sessions,
    instance,
    restart: (name) => {
      instance(name).hasCrashed = true
      instances.delete(name)
    },
    clockOf,
    latestClock: () => now + Math.max(0, clockLeadMs),
    openView: (operation, userId) => {
      const past = pasts.get(userId) ?? []
      const from = past.length - 1
      return () => ({ instants: [...(instants.get(operation) ?? [])], users: past.slice(from) })
    },
    advanceClock: (milliseconds) => {
      now += milliseconds
    },
    changeUser: (id, change) => {
      users.change(id, change)
      pasts.get(id)?.push(users.find(id))
    },
    note,
    accuse,
    steps,
    violation: () => violation,
  }
}

const isRecord = (value: unknown): value is SessionRecord =>
  typeof value === 'object' && value !== null && 'selectorHash' in value
