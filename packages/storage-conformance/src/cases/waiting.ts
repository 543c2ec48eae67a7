import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import type { HoldBackend, WaitingCase } from '../conformance-case.js'
import { assertTellsNothing } from '../error-texts.js'
import { added, assertNoCallTookPlace, known, portCalls, storeForCalls } from '../port-calls.js'
import { sampleSession } from '../sample-session.js'
import { withTimeLimit } from '../time-limit.js'

/** Runs an action while the backend is held, and releases the backend in any case. */
type WhileHeld = <T>(act: () => Promise<T>) => Promise<T>

const waitingCase = (
  title: string,
  runHeld: (storage: SessionStorage, whileHeld: WhileHeld) => Promise<void>,
): WaitingCase => ({
  capability: 'waiting',
  title,
  run: async (storage, hold) => {
    await storeForCalls(storage)
    await openConnections(storage)
    await (hold === 'nothing-to-hold' ? assertNothingWaits(storage) : runHeld(storage, holdWith(hold)))
  },
})

/** Has the storage open its connections: a pool opens most of them when they are needed. */
const openConnections = async (storage: SessionStorage): Promise<void> => {
  await Promise.all(methods.map(async () => storage.findByIds([known.id])))
}

const holdWith =
  (hold: HoldBackend): WhileHeld =>
  async (act) => {
    const release = await hold()
    try {
      return await act()
    } finally {
      await release()
    }
  }

/** What the port promises about calls that wait for the backend. */
export const waitingCases: readonly WaitingCase[] = [
  waitingCase(
    'rejects every call whose deadline fires while it waits for the backend, before the backend answers',
    async (storage, whileHeld) => {
      const outcomes = await whileHeld(async () => {
        const calls = await sendEach(storage)
        calls.abort()
        await withTimeLimit('the hold', calls.settled, longestHoldMs).catch(() => {})
        return new Map(calls.outcomes)
      })
      const others = methods.filter((name) => outcomes.get(name)?.status !== 'rejected')
      assert.equal(others.length, 0, `not rejected while the backend was held: ${others.join(', ')}`)
      await settleLateWrites(storage)
    },
  ),
  waitingCase(
    'tells no bound value in the error of any call whose deadline fires while it waits for the backend',
    async (storage, whileHeld) => {
      const calls = await whileHeld(async () => {
        const sent = await sendEach(storage)
        sent.abort()
        return sent
      })
      await calls.settled
      for (const outcome of calls.outcomes.values()) {
        if (outcome.status === 'rejected') assertTellsNothing(outcome.reason)
      }
      await settleLateWrites(storage)
    },
  ),
  waitingCase(
    'sends nothing of a call whose deadline fires while it waits for its turn',
    async (storage, whileHeld) => {
      const { settled } = await whileHeld(async () => {
        const before = createMany(storage, 1_000)
        const calls = callEach(storage)
        const after = createMany(storage, 2_000)
        // The adapter runs as far as it can without an answer. Most clients send nothing before the next turn of the event loop.
        await new Promise((resolve) => process.nextTick(resolve))
        calls.abort()
        return { settled: Promise.all([before, calls.settled, after]) }
      })
      await settled
      await assertNoCallTookPlace(storage)
    },
  ),
]

const methods = Object.keys(portCalls)

/** One call of each method, each with a deadline of its own. */
interface Calls {
  /** What became of the calls that have settled, by the name of the method. */
  readonly outcomes: ReadonlyMap<string, PromiseSettledResult<unknown>>
  readonly settled: Promise<unknown>
  /** Fires the deadlines. */
  readonly abort: () => void
}

const callEach = (storage: SessionStorage): Calls => {
  const outcomes = new Map<string, PromiseSettledResult<unknown>>()
  const controllers: AbortController[] = []
  const answers = Object.entries(portCalls).map(async ([name, call]) => {
    const controller = new AbortController()
    controllers.push(controller)
    const answer = (async () => call(storage, { signal: controller.signal }))()
    const [outcome] = await Promise.allSettled([answer])
    outcomes.set(name, outcome)
  })
  return {
    outcomes,
    settled: Promise.all(answers),
    abort: () => {
      for (const controller of controllers) controller.abort(new Error('the deadline is over'))
    },
  }
}

const turnsUntilSent = 1_000

/** Makes one call of each method, and resolves once the calls are on their way to the backend. */
const sendEach = async (storage: SessionStorage): Promise<Calls> => {
  const calls = callEach(storage)
  for (let turn = 0; turn < turnsUntilSent; turn += 1) await nextTurn()
  return calls
}

// After that the backend is released, so that a call that waits for the backend settles as well.
const longestHoldMs = 1_000

/** Creates more sessions at the same time than a pool has connections. */
const createMany = (storage: SessionStorage, from: number): Promise<unknown> =>
  Promise.allSettled(Array.from({ length: 50 }, (_, position) => storage.create(sampleSession(from + position))))

/** Waits for a creation that was sent before its deadline: it may take place after the release, but not in the middle of another case. */
const settleLateWrites = async (storage: SessionStorage): Promise<void> => {
  await storage.create(added).catch(() => {})
  assert.equal((await storage.findByIds([added.id])).length, 1)
}

/** Asserts what the author of a storage says: each call is answered without waiting for anything outside of this process. */
const assertNothingWaits = async (storage: SessionStorage): Promise<void> => {
  const { outcomes } = callEach(storage)
  await nextTurn()
  const waiting = methods.filter((name) => !outcomes.has(name))
  assert.equal(waiting.length, 0, `there is something to hold, for which these calls wait: ${waiting.join(', ')}`)
}
