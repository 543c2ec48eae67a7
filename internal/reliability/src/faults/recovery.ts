import type { DatabaseProbe } from './database-probe.js'
import { poolSize } from './stage.js'
import { until } from './until.js'
import { createVisitor, type Step } from './visitor.js'
import type { Watch } from './watch.js'

// A busy machine takes many times as long as an idle one. The soak reports the time of each recovery.
const limitMs = 60_000
const firstUserId = 1_001
const allSteps: readonly Step[] = ['login', 'guard', 'validate', 'refresh', 'revoke']

/**
 * Measures how long the service needs until it can carry out all steps for as many users concurrently as it has connections.
 * Returns milliseconds, from the moment at which the database responds to a direct query. Rejects after a minute.
 */
export const measureRecovery = async (probe: DatabaseProbe, { endpoint, recorder }: Watch): Promise<number> => {
  await until('the database responds', probe.isUp, limitMs)
  const startedAt = performance.now()
  const visitors = Array.from({ length: poolSize }, (_, number) =>
    createVisitor({ userId: firstUserId + number, endpoint, recorder }),
  )
  const hasRecovered = async (): Promise<boolean> => {
    for (const step of allSteps) {
      const results = await Promise.all(visitors.map(({ perform }) => perform(step)))
      if (results.some(({ outcome }) => outcome !== 'done')) return false
    }
    return true
  }
  await until('the service has recovered', hasRecovered, limitMs)
  return performance.now() - startedAt
}
