import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import type { Clients } from './clients.js'
import type { HeldCall } from './held-calls.js'
import { type ModelUserId, modelUserIds } from './host-users.js'
import { modelPolicy } from './reference-session.js'
import type { RunningOperations } from './running-operations.js'
import type { World } from './world.js'

/** What a schedule acts on. */
export interface Stage extends RunningOperations {
  readonly clients: Clients
}

/** One event of a schedule. It does nothing when there is nothing that it could happen to. */
export type Action = (stage: Stage) => Promise<void> | void

const graceMs = modelPolicy.refreshGraceSeconds * 1_000
const instanceNames = ['A', 'B'] as const
const number = fc.nat({ max: 1_000 })
const instance = fc.constantFrom(...instanceNames)
const userId: fc.Arbitrary<ModelUserId> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(modelUserIds[0]) },
  { weight: 1, arbitrary: fc.constant(modelUserIds[1]) },
)

const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)]

/**
 * Picks one of the latest three half of the time, and otherwise any item, because most old tokens
 * have the same outcome.
 */
const pickRecent = <T>(list: readonly T[], at: number): T | undefined =>
  at % 2 === 0 ? pick(list.slice(-3), at >> 1) : pick(list, at >> 1)

/** Creates an event from random values. */
const event = <T>(
  values: fc.Arbitrary<T>,
  act: (stage: Stage, value: T) => Promise<void> | void,
): fc.Arbitrary<Action> => values.map((value) => (stage) => act(stage, value))

const withPicked = <T>(item: T | undefined, use: (item: T) => Promise<void> | void): Promise<void> | void =>
  item === undefined ? undefined : use(item)

/**
 * Waits until everything that follows from the last event has happened, up to the next held call.
 */
export const settle = async (): Promise<void> => {
  await nextTurn()
  // Lookups are sent at the end of the turn in which they were requested.
  await nextTurn()
}

/** Advances calls in the order in which they were sent until none is left. */
export const finishAllCalls = ({ world }: Pick<Stage, 'world'>): Promise<void> => advanceUntil(world, () => false)

const advanceUntil = async ({ calls }: World, isReached: (call: HeldCall) => boolean): Promise<void> => {
  for (let [call] = calls.waiting; call !== undefined && !calls.waiting.some(isReached); [call] = calls.waiting) {
    await call.advance()
    await settle()
  }
}

const logIn = event(fc.tuple(instance, userId, fc.nat({ max: 9 })), ({ world, clients }, [name, id, luck]) => {
  const version = world.users.find(id)?.version ?? 1
  clients.logIn(name, id, luck === 0 ? version - 1 : version)
})

const useRefreshToken = (kind: 'refresh' | 'logOut') =>
  event(fc.tuple(instance, number), ({ clients }, [name, at]) =>
    withPicked(pickRecent(clients.refreshTokens, at), (token) => clients[kind](name, token)),
  )
const refresh = useRefreshToken('refresh')
const logOut = useRefreshToken('logOut')

const stealRefreshToken = event(fc.tuple(instance, number, fc.boolean()), ({ clients }, [name, at, hasKey]) =>
  withPicked(pickRecent(clients.refreshTokens, at), (token) => clients.steal(name, { kind: 'refresh', token }, hasKey)),
)

const stealAccessToken = event(
  fc.tuple(instance, number, fc.boolean(), fc.constantFrom('authorize', 'revoke')),
  ({ clients }, [name, at, hasKey, kind]) =>
    withPicked(pickRecent(clients.accessTokens, at), (token) => clients.steal(name, { kind, token }, hasKey)),
)

/**
 * Refreshes one session at several instances in turn, each time after the last result. The last
 * refresh presents a token of any age.
 */
const refreshInTurn = ({ most, maxAge, maxPauseMs }: Readonly<Record<'most' | 'maxAge' | 'maxPauseMs', number>>) => {
  const turn = fc.tuple(instance, fc.nat({ max: maxAge }), fc.nat({ max: maxPauseMs }))
  return event(fc.array(turn, { minLength: most / 2, maxLength: most }), async (stage, turns) => {
    const { world, clients } = stage
    const session = clients.refreshTokens.at(-1)?.session
    await finishAllCalls(stage)
    for (const [place, [name, age, milliseconds]] of turns.entries()) {
      const known = clients.refreshTokens.filter((token) => token.session === session)
      // All turns but the last present the newest token.
      withPicked(known.at(place < turns.length - 1 ? -1 : -1 - age), (token) => clients.refresh(name, token))
      await settle()
      await finishAllCalls(stage)
      pass(world, milliseconds)
    }
  })
}

const pass = ({ note, clocks }: World, milliseconds: number): void => {
  note(`${milliseconds} ms pass`)
  clocks.advance(milliseconds)
}

// Longer than the list of replaced tokens that a session keeps.
const burst = refreshInTurn({ most: 80, maxAge: 40, maxPauseMs: 100 })

/** Presents a replaced token after its grace window has passed on every clock. */
const replay = event(fc.tuple(instance, number), ({ world, clients }, [name, at]) => {
  const session = clients.refreshTokens.at(-1)?.session
  const known = clients.refreshTokens.filter((token) => token.session === session)
  withPicked(pick(known.slice(0, -1), at), (token) => {
    pass(world, 2 * graceMs + 1)
    clients.refresh(name, token)
  })
})

const useAccessToken = (kind: 'authorize' | 'revoke') =>
  event(fc.tuple(instance, number), ({ clients }, [name, at]) =>
    withPicked(pickRecent(clients.accessTokens, at), (token) => clients[kind](name, token)),
  )
const revoke = useAccessToken('revoke')

const onUser = (kind: 'revokeAll' | 'list') =>
  event(fc.tuple(instance, userId), ({ clients }, [name, id]) => clients[kind](name, id))
const revokeAll = onUser('revokeAll')

const purge = event(instance, ({ clients }, name) => clients.purge(name))

const changePassword = event(userId, ({ world }, id) => {
  world.note(`the application changes the password of user ${id}`)
  world.users.change(id, (user) => ({ ...user, version: user.version + 1 }))
})

const setDisabled = event(fc.tuple(userId, fc.boolean()), ({ world }, [id, isDisabled]) => {
  world.note(`the application ${isDisabled ? 'disables' : 'enables'} user ${id}`)
  world.users.change(id, (user) => ({ ...user, isDisabled }))
})

const remove = fc.constant<Action>(({ world }) => {
  world.note('the application deletes user 2')
  world.users.change(2, () => undefined)
})

const day = 24 * 3_600_000
const pauses = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 15_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(30_000, 250_000) },
  { weight: 4, arbitrary: fc.constantFrom(1, 999, 1_000, 20_000, 29_999, 30_000, 30_001, 59_000, 60_000) },
  { weight: 1, arbitrary: fc.constantFrom(299_000, 299_999, 300_000, 1_000_000, day + 60_000, 2 * day) },
)

const pause = event(pauses, async ({ world }, milliseconds) => {
  // Deadlines last seconds, so no real call would still wait a day later, after its session has
  // expired.
  if (milliseconds >= day) await finishAllCalls({ world })
  pass(world, milliseconds)
})

const advanceOne = event(number, ({ world }, at) => withPicked(pick(world.calls.waiting, at), (call) => call.advance()))

const finishAll = fc.constant<Action>(finishAllCalls)

const writes: ReadonlySet<string> = new Set(['create', 'rotate', 'end', 'endAllForUser', 'deleteExpired'])

const isWrite = ({ method }: HeldCall): boolean => writes.has(method)

const fail = ({ excuseCallers }: Stage, call: HeldCall): void => {
  excuseCallers(call)
  call.fail()
}

const failCall = event(number, (stage, at) =>
  withPicked(pick(stage.world.calls.waiting, at), (call) => fail(stage, call)),
)

/**
 * Starts an operation, advances calls until a write waits, and lets the write fail, before or after
 * its work.
 */
const failWrite = event(
  fc.tuple(fc.oneof(refresh, replay, revoke, logOut, revokeAll, logIn), number, fc.boolean()),
  async (stage, [start, at, isDone]) => {
    const { calls } = stage.world
    await start(stage)
    await settle()
    await advanceUntil(stage.world, isWrite)
    const write = pick(calls.waiting.filter(isWrite), at)
    if (isDone) await write?.advance()
    // A write without a sender no longer waits after its work.
    if (write !== undefined && calls.waiting.includes(write)) fail(stage, write)
  },
)

const passDeadlines = event(instance, ({ world, excuseAll }, name) => {
  world.note(`${name}: all deadlines pass`)
  excuseAll(name)
  world.instance(name).fireTimers()
})

const crash = event(fc.tuple(instance, fc.nat({ max: 255 })), ({ world, crash }, [name, fate]) => {
  world.note(`${name} crashes and restarts`)
  crash(name)
  const left = world.calls.waiting.filter((call) => call.instance === name)
  for (const [place, call] of left.entries()) {
    if (((fate >> (place % 8)) & 1) === 0) world.calls.drop(call)
    else call.orphan()
  }
})

/**
 * How far the clock of `B` is ahead of the clock of `A`. The tolerated difference is the grace
 * window.
 */
export const clockLeads: fc.Arbitrary<number> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -5_000, max: 5_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -graceMs, max: graceMs }) },
  { weight: 1, arbitrary: fc.constantFrom(-graceMs, -20_000, 20_000, 29_000, graceMs) },
)

const setClock = event(clockLeads, ({ world }, leadMs) => {
  world.note(`the clock of B is set to ${leadMs} ms ahead of the clock of A`)
  world.clocks.setLead(leadMs)
})

/** The kinds of events, with how often each of them is tried. */
const kinds: readonly fc.WeightedArbitrary<Action>[] = [
  { weight: 14, arbitrary: refresh },
  { weight: 10, arbitrary: useAccessToken('authorize') },
  { weight: 4, arbitrary: stealRefreshToken },
  { weight: 4, arbitrary: stealAccessToken },
  { weight: 8, arbitrary: pause },
  { weight: 4, arbitrary: logIn },
  { weight: 4, arbitrary: revoke },
  { weight: 2, arbitrary: revokeAll },
  { weight: 1, arbitrary: onUser('list') },
  { weight: 1, arbitrary: purge },
  { weight: 2, arbitrary: changePassword },
  { weight: 1, arbitrary: setDisabled },
  { weight: 1, arbitrary: remove },
  { weight: 1, arbitrary: failCall },
  { weight: 2, arbitrary: failWrite },
  { weight: 1, arbitrary: refreshInTurn({ most: 6, maxAge: 4, maxPauseMs: 20_000 }) },
  { weight: 1, arbitrary: burst },
  { weight: 1, arbitrary: setClock },
  { weight: 1, arbitrary: passDeadlines },
  { weight: 2, arbitrary: crash },
  { weight: 2, arbitrary: logOut },
]

const ofKind = fc.oneof(
  ...kinds.map(({ weight, arbitrary }, kind) => ({ weight, arbitrary: arbitrary.map((act) => ({ act, kind })) })),
)

const progress = fc
  .oneof({ weight: 4, arbitrary: advanceOne }, { weight: 1, arbitrary: finishAll })
  .map((act) => ({ act, kind: -1 }))

/**
 * Schedules of at most so many events. Each schedule omits some kinds of events, so that the other
 * kinds meet more often (Groce et al., “Swarm testing”, 2012). Between two events, waiting calls
 * advance.
 */
export const schedules = (maxLength: number): fc.Arbitrary<readonly Action[]> =>
  fc
    .tuple(
      fc.array(fc.boolean(), { minLength: kinds.length, maxLength: kinds.length }),
      fc.array(fc.oneof(ofKind, progress), { maxLength, size: 'max' }),
    )
    .map(([isOmitted, actions]) => actions.filter(({ kind }) => isOmitted[kind] !== true).map(({ act }) => act))
