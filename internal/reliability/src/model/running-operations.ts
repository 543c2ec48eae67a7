import type { TokenService } from '@jwt-auth/core'
import { currentOperation, type HeldCall } from './held-calls.js'
import type { ModelUserId } from './host-users.js'
import { type Behaviour, cleaningUp, settling } from './operations.js'
import { isFailure, type Outcome, outcomeOf } from './outcomes.js'
import { modelPolicy } from './reference-session.js'
import {
  createWorld,
  type Instance,
  type Logins,
  type Subject,
  type WatchedSession,
  type World,
  type WorldSettings,
} from './world.js'

/** An operation as it is asked for, and how its answer is judged. */
interface Plan<T> {
  readonly title: string
  readonly run: (service: TokenService) => Promise<T>
  /** The sessions it is about, and what it may do to each. */
  readonly about?: readonly (readonly [WatchedSession, Behaviour])[]
  /** What it may do to a session of this user that opens meanwhile. */
  readonly joins?: { readonly userId: ModelUserId; readonly behaviour: Behaviour }
  /** The version of the password that it types, for a login. */
  readonly typedVersion?: number
  /** The session that it looks up, in one batch with the lookups of other operations. */
  readonly looksUp?: WatchedSession
  /** What is wrong with its answer. */
  readonly judge: (outcome: Outcome<T>, running: Running) => string | undefined
}

/** An operation under way. */
interface Running {
  readonly number: number
  readonly watchedBy: ReadonlySet<WatchedSession>
  /** A login's session, once it stands. */
  readonly opened: WatchedSession | undefined
}

interface Entry {
  readonly title: string
  readonly instance: Instance
  readonly begunAt: number
  readonly watchedBy: Set<WatchedSession>
  readonly joins: Plan<unknown>['joins']
  readonly looksUp: WatchedSession | undefined
  opened: WatchedSession | undefined
  mayFail: boolean
}

/** Starts operations, and follows each of them from its begin to its answer. */
export interface RunningOperations {
  readonly world: World
  readonly begin: <T>(instance: string, plan: Plan<T>) => void
  /** The process is gone: nobody hears its answers any more. */
  readonly crash: (instance: string) => void
  /** A call fails, so that the operation that waits for it may fail; of a lookup, each operation in its batch. */
  readonly excuseCallers: (call: HeldCall) => void
  /** Fails every call that this process waits for. Its operations in flight may fail then. */
  readonly excuseAll: (instance: string) => void
  /** Strikes what nobody waits for and nothing is held of any more: it has happened or never will. */
  readonly forgetAbandoned: () => void
  /** What was begun and not answered. */
  readonly unanswered: () => readonly string[]
}

/** More at once lead to no new kinds of races, but to many more orders to think through. */
const mostUnderWay = 7

/** The end that a failing login writes is an operation of its own. */
const cleanUpOf = (operation: number): number => -operation

export const createRunningOperations = async (
  subject: Subject,
  settings?: WorldSettings,
): Promise<RunningOperations> => {
  const underWay = new Map<number, Entry>()
  /** Nobody waits for these any more, and what they sent may still be done. */
  const abandoned = new Map<number, Entry>()
  const typedVersions = new Map<number, number>()
  let count = 0

  const watch = ({ possible, userId }: WatchedSession, number: number, behaviour: Behaviour): void =>
    possible.begin(number, { behaviour, view: world.openView(number, userId) })

  const onOpened: Logins['onOpened'] = (session, record, operation) => {
    for (const [number, { joins, watchedBy }] of [...underWay, ...abandoned]) {
      if (joins?.userId !== session.userId) continue
      watch(session, number, joins.behaviour)
      watchedBy.add(session)
      if (abandoned.has(number)) session.possible.abandon(number)
    }
    watch(session, operation, settling)
    const login = underWay.get(operation)
    if (login === undefined) {
      session.possible.abandon(operation)
      return
    }
    login.opened = session
    login.watchedBy.add(session)
    if (login.mayFail) watch(session, cleanUpOf(operation), cleaningUp)
    if (record.createdAt < login.begunAt) world.accuse(`#${operation}: a session was opened before its login`)
  }

  const world = await createWorld(
    subject,
    { typedVersionOf: (operation) => typedVersions.get(operation), onOpened },
    settings,
  )

  const abandon = (number: number, entry: Entry): void => {
    abandoned.set(number, entry)
    for (const { possible } of entry.watchedBy) {
      possible.abandon(number)
      possible.abandon(cleanUpOf(number))
    }
  }

  const judgeFailure = (number: number, entry: Entry): string | undefined => {
    abandon(number, entry)
    const isTooLate =
      world.clockOf(entry.instance.name) - entry.begunAt >= (modelPolicy.sessionIdleTimeoutSeconds - 1) * 1_000
    return entry.mayFail || isTooLate ? undefined : 'fails, though nothing had gone wrong'
  }

  const judge = <T>(number: number, entry: Entry, { plan, outcome }: { plan: Plan<T>; outcome: Outcome<T> }) => {
    if (isFailure(outcome)) return judgeFailure(number, entry)
    const { opened, mayFail, watchedBy } = entry
    if (opened !== undefined && mayFail) {
      if ('value' in outcome) opened.possible.answer(cleanUpOf(number), { kind: 'spared' })
      else opened.possible.abandon(cleanUpOf(number))
    }
    return plan.judge(outcome, { number, opened, watchedBy })
  }

  const follow = async <T>(number: number, entry: Entry, plan: Plan<T>): Promise<void> => {
    const outcome = await outcomeOf(currentOperation.run(number, () => plan.run(entry.instance.service)))
    if (!underWay.delete(number)) return
    world.note(`${entry.instance.name}: #${number} is answered: ${'code' in outcome ? outcome.message : 'granted'}`)
    const violation = judge(number, entry, { plan, outcome })
    if (violation !== undefined) world.accuse(`#${number}, ${entry.title}: ${violation}`)
  }

  const excuse = (number: number, entry: Entry): void => {
    if (entry.mayFail) return
    entry.mayFail = true
    if (entry.opened !== undefined) watch(entry.opened, cleanUpOf(number), cleaningUp)
  }

  return {
    world,
    begin: (instanceName, plan) => {
      if (underWay.size >= mostUnderWay) return
      count += 1
      const { title, about = [], joins, typedVersion, looksUp } = plan
      world.note(`${instanceName}: #${count} ${title}`)
      for (const [session, behaviour] of about) watch(session, count, behaviour)
      const entry: Entry = {
        title,
        instance: world.instance(instanceName),
        begunAt: world.clockOf(instanceName),
        watchedBy: new Set(about.map(([session]) => session)),
        joins,
        looksUp,
        opened: undefined,
        mayFail: false,
      }
      underWay.set(count, entry)
      if (typedVersion !== undefined) typedVersions.set(count, typedVersion)
      void follow(count, entry, plan)
    },
    crash: (name) => {
      const crashed = world.instance(name)
      world.restart(name)
      for (const [number, entry] of underWay) {
        if (entry.instance !== crashed) continue
        underWay.delete(number)
        abandon(number, entry)
      }
    },
    excuseCallers: (call) => {
      for (const [number, entry] of underWay) if (isWaitingFor(call, number, entry)) excuse(number, entry)
    },
    excuseAll: (name) => {
      for (const [number, entry] of underWay) if (entry.instance.name === name) excuse(number, entry)
    },
    forgetAbandoned: () => {
      const held = new Set(world.calls.waiting.map(({ operation }) => operation))
      const isOver = (number: number): boolean => !held.has(Math.abs(number))
      for (const { possible } of world.sessions) possible.forgetAbandoned(isOver)
      for (const number of abandoned.keys()) if (isOver(number)) abandoned.delete(number)
    },
    unanswered: () => [...underWay].map(([number, { title }]) => `#${number}, ${title}`),
  }
}

/** A batch of lookups is sent on behalf of all that wait for it. Any other call has one operation behind it. */
const isWaitingFor = (
  { instance, operation, method, args: [ids] }: HeldCall,
  number: number,
  { instance: { name }, looksUp }: Entry,
): boolean => {
  if (method !== 'findByIds') return operation === number
  return name === instance && looksUp !== undefined && Array.isArray(ids) && ids.includes(looksUp.id)
}
