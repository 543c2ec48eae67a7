import type { TokenService } from '@jwt-auth/core'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { currentOperation, type HeldCall } from './held-calls.js'
import type { ModelUserId } from './host-users.js'
import { isFailure, type Outcome, outcomeOf } from './known-tokens.js'
import type { Instance, Subject } from './model-instance.js'
import { type Behaviour, cleaningUp, settling } from './operations.js'
import { modelPolicy } from './reference-session.js'
import { createWorld, type WatchedSession, type World, type WorldSettings } from './world.js'

/** An operation to start, and how to judge its result. */
export interface Plan<T> {
  readonly title: string
  readonly run: (service: TokenService) => Promise<T>
  /** The sessions that it is about, and what it may do to each of them. */
  readonly about?: readonly (readonly [WatchedSession, Behaviour])[]
  /** What it may do to a session of this user that opens while it runs. */
  readonly joins?: { readonly userId: ModelUserId; readonly behaviour: Behaviour }
  /** The version of the password that a login types. */
  readonly typedVersion?: number
  /** The session that it looks up, in one batch with the lookups of other operations. */
  readonly looksUp?: WatchedSession
  /** Returns what is wrong with its result, or `undefined`. */
  readonly judge: (outcome: Outcome<T>, running: Running) => string | undefined
}

/** An operation in progress. */
interface Running {
  readonly number: number
  readonly watchedBy: ReadonlySet<WatchedSession>
  /** The session of a login, after it was stored. */
  readonly opened: WatchedSession | undefined
}

/** Starts operations, and follows each of them to its result. */
export type RunningOperations = Awaited<ReturnType<typeof createRunningOperations>>

interface Entry {
  readonly title: string
  readonly instance: Instance
  readonly startedAt: number
  readonly watchedBy: Set<WatchedSession>
  readonly joins: Plan<unknown>['joins']
  readonly looksUp: WatchedSession | undefined
  readonly typedVersion: number | undefined
  opened: WatchedSession | undefined
  mayFail: boolean
}

interface State {
  readonly world: World
  readonly inFlight: Map<number, Entry>
  /** Operations that nobody waits for any more. What they sent may still be done. */
  readonly abandoned: Map<number, Entry>
  started: number
}

/** More operations in flight lead to no new kinds of races, but to many more orders to explore. */
const maxInFlight = 7

/** Creates the operations of a new world. */
export const createRunningOperations = async (subject: Subject, settings: WorldSettings) => {
  const world: World = await createWorld(subject, settings, (record, operation) =>
    noteCreated(state, record, operation),
  )
  const state: State = { world, inFlight: new Map(), abandoned: new Map(), started: 0 }
  const { inFlight } = state

  return {
    world,
    /** Starts an operation. Does nothing while too many operations are in flight. */
    start: <T>(instance: string, plan: Plan<T>): void => start(state, instance, plan),
    /** Ends a process. Nobody receives the results of its operations. */
    crash: (instance: string): void => crash(state, instance),
    /**
     * Allows the operation that waits for a call to fail. For a lookup: each operation in its batch.
     */
    excuseCallers: (call: HeldCall): void => {
      for (const [number, entry] of inFlight) if (isWaitingFor(call, number, entry)) excuse(state, number, entry)
    },
    /** Allows every operation of a process to fail. */
    excuseAll: (instance: string): void => {
      for (const [number, entry] of inFlight) if (entry.instance.name === instance) excuse(state, number, entry)
    },
    /**
     * Removes the operations that nobody waits for and that have no call left: what they did not do
     * never happens.
     */
    forgetAbandoned: () => forgetAbandoned(state),
    /** Returns the operations that have started and not settled. */
    unsettled: () => [...inFlight].map(([number, { title }]) => `#${number}, ${title}`),
  }
}

const start = <T>(state: State, instanceName: string, plan: Plan<T>): void => {
  const { world, inFlight } = state
  if (inFlight.size >= maxInFlight) return
  state.started += 1
  const number = state.started
  const { title, about = [], joins, typedVersion, looksUp } = plan
  world.note(`${instanceName}: #${number} ${title}`)
  for (const [session, behaviour] of about) watch(state, session, { number, behaviour })
  const entry: Entry = {
    title,
    instance: world.instance(instanceName),
    startedAt: world.clocks.timeOf(instanceName),
    watchedBy: new Set(about.map(([session]) => session)),
    joins,
    looksUp,
    typedVersion,
    opened: undefined,
    mayFail: false,
  }
  inFlight.set(number, entry)
  void follow(state, { number, entry, plan })
}

interface Followed<T> {
  readonly number: number
  readonly entry: Entry
  readonly plan: Plan<T>
}

const follow = async <T>(state: State, { number, entry, plan }: Followed<T>): Promise<void> => {
  const { world, inFlight } = state
  const outcome = await outcomeOf(currentOperation.run(number, () => plan.run(entry.instance.service)))
  if (!inFlight.delete(number)) return
  world.note(`${entry.instance.name}: #${number} has settled: ${'code' in outcome ? outcome.message : 'success'}`)
  const violation = judge(state, { number, entry, plan }, outcome)
  if (violation !== undefined) world.reportViolation(`#${number}, ${entry.title}: ${violation}`)
}

const judge = <T>(state: State, { number, entry, plan }: Followed<T>, outcome: Outcome<T>): string | undefined => {
  if (isFailure(outcome)) return judgeFailure(state, number, entry)
  const { opened, mayFail, watchedBy } = entry
  if (opened !== undefined && mayFail) {
    if ('value' in outcome) opened.possible.settle(cleanUpOf(number), { kind: 'spared' })
    else opened.possible.abandon(cleanUpOf(number))
  }
  return plan.judge(outcome, { number, opened, watchedBy })
}

const judgeFailure = (state: State, number: number, entry: Entry): string | undefined => {
  abandon(state, number, entry)
  const elapsedMs = state.world.clocks.timeOf(entry.instance.name) - entry.startedAt
  const isTooLate = elapsedMs >= (modelPolicy.sessionIdleTimeoutSeconds - 1) * 1_000
  return entry.mayFail || isTooLate ? undefined : 'it fails although no call has failed'
}

/** Called when the session of a login was stored. */
const noteCreated = (state: State, record: SessionRecord, operation: number): void => {
  const { world, inFlight, abandoned } = state
  const login = inFlight.get(operation)
  const session = world.addSession(record, (login ?? abandoned.get(operation))?.typedVersion)
  if (session === undefined) return
  for (const [number, { joins, watchedBy }] of [...inFlight, ...abandoned]) {
    if (joins?.userId !== session.userId) continue
    watch(state, session, { number, behaviour: joins.behaviour })
    watchedBy.add(session)
    if (abandoned.has(number)) session.possible.abandon(number)
  }
  watch(state, session, { number: operation, behaviour: settling })
  if (login === undefined) {
    session.possible.abandon(operation)
    return
  }
  login.opened = session
  login.watchedBy.add(session)
  if (login.mayFail) watch(state, session, { number: cleanUpOf(operation), behaviour: cleaningUp })
  if (!world.clocks.seenBy(operation).includes(record.createdAt))
    world.reportViolation(`#${operation}: a session was opened at a time that its login has not seen`)
}

const watch = (
  { world }: State,
  { possible, userId }: WatchedSession,
  { number, behaviour }: { readonly number: number; readonly behaviour: Behaviour },
): void => possible.start(number, { behaviour, view: world.openView(number, userId) })

const excuse = (state: State, number: number, entry: Entry): void => {
  if (entry.mayFail) return
  entry.mayFail = true
  const { opened } = entry
  if (opened !== undefined) watch(state, opened, { number: cleanUpOf(number), behaviour: cleaningUp })
}

const crash = (state: State, name: string): void => {
  const { world, inFlight } = state
  const crashed = world.instance(name)
  world.restart(name)
  for (const [number, entry] of inFlight) {
    if (entry.instance !== crashed) continue
    inFlight.delete(number)
    abandon(state, number, entry)
  }
}

const abandon = ({ abandoned }: State, number: number, entry: Entry): void => {
  abandoned.set(number, entry)
  for (const { possible } of entry.watchedBy) {
    possible.abandon(number)
    possible.abandon(cleanUpOf(number))
  }
}

const forgetAbandoned = ({ world, abandoned }: State): void => {
  const waiting = new Set(world.calls.waiting.map(({ operation }) => operation))
  const isFinished = (number: number): boolean => !waiting.has(Math.abs(number))
  for (const { possible } of world.sessions) possible.forgetAbandoned(isFinished)
  for (const number of abandoned.keys()) if (isFinished(number)) abandoned.delete(number)
}

/** The end that a failing login writes counts as an operation of its own. */
const cleanUpOf = (operation: number): number => -operation

/**
 * All operations in a batch of lookups wait for the batch. One operation waits for any other call.
 */
const isWaitingFor = (
  { instance, operation, method, args: [ids] }: HeldCall,
  number: number,
  { instance: { name }, looksUp }: Entry,
): boolean => {
  if (method !== 'findByIds') return operation === number
  return name === instance && looksUp !== undefined && Array.isArray(ids) && ids.includes(looksUp.id)
}
