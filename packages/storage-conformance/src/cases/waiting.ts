import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import { type Checks, checksOf, type Hold, type HoldBackend, requirementsOf } from '../conformance-case.js'
import { added, assertNoBoundText, assertNoCallTookPlace, known, portCalls, storeForCalls } from '../port-calls.js'
import { sampleSession } from '../sample-session.js'
import { withTimeLimit } from '../time-limit.js'

/** Runs an action while the backend is held, and always releases the backend afterwards. */
type WhileHeld = <T>(act: () => Promise<T>) => Promise<T>

const methods = Object.keys(portCalls)
const lookups: readonly string[] = ['findByIds', 'findBySelectorHash', 'list']

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

const checks: Checks<[SessionStorage, WhileHeld]> = {
  'every method rejects, with no bound value in the error, when its signal aborts while the call waits for the backend, before the backend responds':
    async (storage, whileHeld) => {
      const others = await whileHeld(async () => {
        const calls = callEach(storage)
        await runTicks()
        // A lookup of a file that is mapped into memory does not wait for writers.
        const waiting = methods.filter((name) => !(lookups.includes(name) && calls.outcomes.has(name)))
        await untilSent()
        calls.abort()
        await withTimeLimit('the hold', calls.settled, maxHoldMs).catch(() => {})
        for (const outcome of calls.outcomes.values()) {
          if (outcome.status === 'rejected') assertNoBoundText(outcome.reason)
        }
        return waiting.filter((name) => calls.outcomes.get(name)?.status !== 'rejected')
      })
      assert.ok(others.length === 0, `not rejected while the backend was held: ${others.join(', ')}`)
      await settleLateWrites(storage)
    },
  'a call is never sent when its signal aborts while the call waits to be sent': async (storage, whileHeld) => {
    const { settled } = await whileHeld(async () => {
      const before = createMany(storage, 1_000)
      const calls = callEach(storage)
      const after = createMany(storage, 2_000)
      // The adapter runs as far as it can without a response. Most clients send nothing before
      // the next turn of the event loop.
      await new Promise((resolve) => process.nextTick(resolve))
      calls.abort()
      return { settled: Promise.all([before, calls.settled, after]) }
    })
    await settled
    await assertNoCallTookPlace(storage)
  },
}

/** The requirements for calls that wait for the backend. */
export const waitingCases = requirementsOf<[SessionStorage, Hold]>(
  'waiting',
  checksOf(checks, (check) => async (storage, hold) => {
    await storeForCalls(storage)
    // Concurrent lookups make a pool open its connections before the backend is held.
    await Promise.all(methods.map(async () => storage.findByIds([known.id])))
    await (hold === 'nothing-to-hold' ? assertNothingWaits(storage) : check(storage, holdWith(hold)))
  }),
)

/** Calls each method, all with one signal. `outcomes` has the settled calls, by method. */
const callEach = (storage: SessionStorage) => {
  const outcomes = new Map<string, PromiseSettledResult<unknown>>()
  const controller = new AbortController()
  const calls = Object.entries(portCalls).map(async ([name, call]) => {
    const result = (async () => call(storage, { signal: controller.signal }))()
    const [outcome] = await Promise.allSettled([result])
    outcomes.set(name, outcome)
  })
  return { outcomes, settled: Promise.all(calls), abort: () => controller.abort(new Error('deadline exceeded')) }
}

const turnsUntilSent = 1_000

/** Resolves after calls were sent to the backend. */
const untilSent = async (): Promise<void> => {
  for (let turn = 0; turn < turnsUntilSent; turn += 1) await nextTurn()
}

// After this time, the backend is released, so that calls that still wait for it settle too.
const maxHoldMs = 1_000

/** Makes more concurrent calls than a pool has connections. */
const createMany = (storage: SessionStorage, from: number): Promise<unknown> =>
  Promise.allSettled(Array.from({ length: 50 }, (_, position) => storage.create(sampleSession(from + position))))

/**
 * Waits for a `create` that was sent before its signal aborted. The call may take place after the
 * release, but must not take place during another case. A backend may report the id as taken, and
 * then undo the call that took it.
 */
const settleLateWrites = async (storage: SessionStorage): Promise<void> => {
  for (let attempts = 0; attempts < 20; attempts += 1) {
    await storage.create(added).catch(() => {})
    if ((await storage.findByIds([added.id])).length === 1) return
  }
  assert.fail('a session could not be stored after the backend was released')
}

const ticksWithinTurn = 100

/**
 * Resolves within this turn of the event loop, after the calls that wait for nothing have settled.
 */
const runTicks = async (): Promise<void> => {
  for (let tick = 0; tick < ticksWithinTurn; tick += 1) await new Promise((resolve) => process.nextTick(resolve))
}

/**
 * Asserts the claim of `'nothing-to-hold'`: each call settles within one turn of the event loop.
 */
const assertNothingWaits = async (storage: SessionStorage): Promise<void> => {
  const { outcomes } = callEach(storage)
  // Ticks alone: in another turn of the event loop, a call could be sent after its signal has
  // aborted.
  await runTicks()
  const waiting = methods.filter((name) => !outcomes.has(name))
  assert.ok(waiting.length === 0, `'nothing-to-hold' is wrong: these calls wait for the backend: ${waiting.join(', ')}`)
}
