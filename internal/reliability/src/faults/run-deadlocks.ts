import { connectTo } from '@jwt-auth/test-support'
import { createDeadlockTrap } from './create-deadlock-trap.js'
import type { DeadlockMoment, DeadlockTrap } from './deadlock-trap.js'
import type { Stage } from './stage.js'
import type { Watch } from './watch.js'

/** What became of refreshes that each met a deadlock. */
export interface DeadlockReport {
  readonly moment: DeadlockMoment
  /** Refreshes that were answered with a pair all the same. */
  readonly granted: number
  /** Deadlocks that the database found. */
  readonly deadlocks: number
}

/** Sets a trap in the database of a stage, and removes it when the use is over. */
export const withDeadlockTrap = async <T>({ server }: Stage, use: (trap: DeadlockTrap) => Promise<T>): Promise<T> => {
  const knex = connectTo(server.url)
  const trap = createDeadlockTrap(knex)
  try {
    return await use(trap)
  } finally {
    await trap.remove()
    await knex.destroy()
  }
}

/** Refreshes so many times in one session for each moment of a deadlock, and each time into one. */
export const runDeadlocks = (stage: Stage, watch: Watch, times: number): Promise<readonly DeadlockReport[]> =>
  withDeadlockTrap(stage, async (trap) => {
    const reports: DeadlockReport[] = []
    for (const moment of trap.moments) {
      await trap.set(moment)
      const granted = await springMany(trap, watch, times)
      reports.push({ moment, granted, deadlocks: await trap.countDeadlocks() })
    }
    return reports
  })

const springMany = async (trap: DeadlockTrap, { door, recorder }: Watch, times: number): Promise<number> => {
  const { outcome, grant: login } = await recorder.logIn(door, 1)
  if (outcome.kind !== 'granted') return 0
  let grant = login
  let granted = 0
  while (grant !== undefined && granted < times) {
    const held = grant
    grant = (await trap.spring(outcome.sessionId, () => recorder.refresh(door, held))).grant
    if (grant !== undefined) granted += 1
  }
  return granted
}
