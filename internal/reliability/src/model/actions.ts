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

const logIn = fc.tuple(instance, userId, fc.nat({ max: 9 })).map(
  ([name, id, luck]): Action =>
    ({ world, clients }) => {
      const version = world.users.find(id)?.version ?? 1
      clients.logIn(name, id, luck === 0 ? version - 1 : version)
    },
)

const useRefreshToken = (kind: 'refresh' | 'logOut') =>
  fc.tuple(instance, number).map(
    ([name, at]): Action =>
      ({ clients }) =>
        withPicked(pickRecent(clients.refreshTokens, at), (token) => clients[kind](name, token)),
  )
const refresh = useRefreshToken('refresh')
const logOut = useRefreshToken('logOut')

const stealRefreshToken = fc.tuple(instance, number, fc.boolean()).map(
  ([name, at, hasKey]): Action =>
    ({ clients }) =>
      withPicked(pickRecent(clients.refreshTokens, at), (token) =>
        clients.steal(name, { kind: 'refresh', token }, hasKey),
      ),
)

const stealAccessToken = fc.tuple(instance, number, fc.boolean(), fc.constantFrom('authorize', 'revoke')).map(
  ([name, at, hasKey, kind]): Action =>
    ({ clients }) =>
      withPicked(pickRecent(clients.accessTokens, at), (token) => clients.steal(name, { kind, token }, hasKey)),
)

/**
 * Refreshes one session at several instances in turn, each time after the last result. The last
 * refresh presents a token of any age.
 */
const refreshInTurn = ({
  most,
  maxAge,
  maxPauseMs,
}: {
  readonly most: number
  readonly maxAge: number
  readonly maxPauseMs: number
}) =>
  fc
    .array(fc.tuple(instance, fc.nat({ max: maxAge }), fc.integer({ min: 0, max: maxPauseMs })), {
      minLength: most / 2,
      maxLength: most,
    })
    .map(
      (turns): Action =>
        async (stage) => {
          const { world, clients } = stage
          const session = clients.refreshTokens.at(-1)?.session
          await finishAllCalls(stage)
          for (const [place, [name, age, milliseconds]] of turns.entries()) {
            const known = clients.refreshTokens.filter((token) => token.session === session)
            // All turns but the last present the newest token.
            withPicked(known.at(place < turns.length - 1 ? -1 : -1 - age), (token) => clients.refresh(name, token))
            await settle()
            await finishAllCalls(stage)
            world.note(`${milliseconds} ms pass`)
            world.clocks.advance(milliseconds)
          }
        },
    )

// Longer than the list of replaced tokens that a session keeps.
const burst = refreshInTurn({ most: 80, maxAge: 40, maxPauseMs: 100 })

/** Presents a replaced token after its grace window has passed on every clock. */
const replay = fc.tuple(instance, number).map(
  ([name, at]): Action =>
    ({ world, clients }) => {
      const session = clients.refreshTokens.at(-1)?.session
      const known = clients.refreshTokens.filter((token) => token.session === session)
      withPicked(pick(known.slice(0, -1), at), (token) => {
        world.note(`${2 * graceMs + 1} ms pass`)
        world.clocks.advance(2 * graceMs + 1)
        clients.refresh(name, token)
      })
    },
)

const useAccessToken = (kind: 'authorize' | 'revoke') =>
  fc.tuple(instance, number).map(
    ([name, at]): Action =>
      ({ clients }) =>
        withPicked(pickRecent(clients.accessTokens, at), (token) => clients[kind](name, token)),
  )
const revoke = useAccessToken('revoke')

const onUser = (kind: 'revokeAll' | 'list') =>
  fc.tuple(instance, userId).map(
    ([name, id]): Action =>
      ({ clients }) =>
        clients[kind](name, id),
  )
const revokeAll = onUser('revokeAll')

const purge = instance.map(
  (name): Action =>
    ({ clients }) =>
      clients.purge(name),
)

const changePassword = userId.map(
  (id): Action =>
    ({ world }) => {
      world.note(`the application changes the password of user ${id}`)
      world.users.change(id, (user) => ({ ...user, version: user.version + 1 }))
    },
)

const setDisabled = fc.tuple(userId, fc.boolean()).map(
  ([id, isDisabled]): Action =>
    ({ world }) => {
      world.note(`the application ${isDisabled ? 'disables' : 'enables'} user ${id}`)
      world.users.change(id, (user) => ({ ...user, isDisabled }))
    },
)

const remove = fc.constant<Action>(({ world }) => {
  world.note('the application deletes user 2')
  world.users.change(2, () => undefined)
})

const day = 24 * 3_600_000
const pause = fc
  .oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 15_000 }) },
    { weight: 2, arbitrary: fc.constantFrom(30_000, 250_000) },
    { weight: 4, arbitrary: fc.constantFrom(1, 999, 1_000, 20_000, 29_999, 30_000, 30_001, 59_000, 60_000) },
    { weight: 1, arbitrary: fc.constantFrom(299_000, 299_999, 300_000, 1_000_000, day + 60_000, 2 * day) },
  )
  .map(
    (milliseconds): Action =>
      async ({ world }) => {
        // Deadlines last seconds, so no real call would still wait a day later, after its session
        // has expired.
        if (milliseconds >= day) await finishAllCalls({ world })
        world.note(`${milliseconds} ms pass`)
        world.clocks.advance(milliseconds)
      },
  )

const advanceOne = number.map(
  (at): Action =>
    ({ world }) =>
      withPicked(pick(world.calls.waiting, at), (call) => call.advance()),
)

const finishAll = fc.constant<Action>(finishAllCalls)

const writes: ReadonlySet<string> = new Set(['create', 'rotate', 'end', 'endAllForUser', 'deleteExpired'])

const isWrite = ({ method }: HeldCall): boolean => writes.has(method)

const fail = ({ excuseCallers }: Stage, call: HeldCall | undefined): void => {
  if (call === undefined) return
  excuseCallers(call)
  call.fail()
}

const failCall = number.map(
  (at): Action =>
    (stage) =>
      fail(stage, pick(stage.world.calls.waiting, at)),
)

/**
 * Starts an operation, advances calls until a write waits, and lets the write fail, before or after
 * its work.
 */
const failWrite = fc.tuple(fc.oneof(refresh, replay, revoke, logOut, revokeAll, logIn), number, fc.boolean()).map(
  ([start, at, isDone]): Action =>
    async (stage) => {
      await start(stage)
      await settle()
      await advanceUntil(stage.world, isWrite)
      const write = pick(stage.world.calls.waiting.filter(isWrite), at)
      if (isDone) await write?.advance()
      // A write without a sender no longer waits after its work.
      fail(
        stage,
        stage.world.calls.waiting.find((call) => call === write),
      )
    },
)

const passDeadlines = instance.map(
  (name): Action =>
    ({ world, excuseAll }) => {
      world.note(`${name}: all deadlines pass`)
      excuseAll(name)
      world.instance(name).fireTimers()
    },
)

const crash = fc.tuple(instance, fc.nat({ max: 255 })).map(
  ([name, fate]): Action =>
    ({ world, crash }) => {
      world.note(`${name} crashes and restarts`)
      crash(name)
      const left = world.calls.waiting.filter((call) => call.instance === name)
      for (const [place, call] of left.entries()) {
        if (((fate >> (place % 8)) & 1) === 0) world.calls.drop(call)
        else call.orphan()
      }
    },
)

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

const setClock = clockLeads.map(
  (leadMs): Action =>
    ({ world }) => {
      world.note(`the clock of B is set to ${leadMs} ms ahead of the clock of A`)
      world.clocks.setLead(leadMs)
    },
)

/** The kinds of events, with how often each of them is tried. */
const kinds: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Action> }[] = [
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
  ...kinds.map(({ weight, arbitrary }, kind) => ({
    weight,
    arbitrary: arbitrary.map((act) => ({ act, kind })),
  })),
)

const progress = fc.oneof({ weight: 4, arbitrary: advanceOne }, { weight: 1, arbitrary: finishAll })

/**
 * Schedules of at most so many events. Each schedule omits some kinds of events, so that the other
 * kinds meet more often (Groce et al., “Swarm testing”, 2012). Between two events, waiting calls
 * advance.
 */
export const schedules = (maxLength: number): fc.Arbitrary<readonly Action[]> =>
  fc
    .tuple(
      fc.array(fc.boolean(), { minLength: kinds.length, maxLength: kinds.length }),
      fc.array(
        fc.oneof(
          ofKind,
          progress.map((act) => ({ act, kind: -1 })),
        ),
        { maxLength, size: 'max' },
      ),
    )
    .map(([isOmitted, actions]) => actions.filter(({ kind }) => isOmitted[kind] !== true).map(({ act }) => act))
