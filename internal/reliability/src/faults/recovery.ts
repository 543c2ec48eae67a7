import type { DatabaseProbe } from './database-probe.js'
import { poolSize } from './stage.js'
import { until } from './until.js'
import { createVisitor, type Step } from './visitor.js'
import type { Watch } from './watch.js'

// A busy machine takes many times as long as an idle one. The soak reports how long a recovery took.
const longestRecoveryMs = 60_000
const longestStartMs = 60_000
const firstUserId = 1_001
const wholeService: readonly Step[] = ['login', 'guard', 'validate', 'refresh', 'revoke']

/**
 * Measures how long the service needs to do everything again for as many users at once as it has connections: in milliseconds,
 * from the moment the database responds to a direct query. Rejects after a minute.
 */
export const measureRecovery = async (probe: DatabaseProbe, { door, recorder }: Watch): Promise<number> => {
  await until('the database answers', probe.isUp, longestStartMs)
  const beganAt = performance.now()
  const visitors = Array.from({ length: poolSize }, (_, number) =>
    createVisitor({ userId: firstUserId + number, door, recorder }),
  )
  const isFullService = async (): Promise<boolean> => {
    for (const step of wholeService) {
      const answers = await Promise.all(visitors.map(({ perform }) => perform(step)))
      if (answers.some(({ outcome }) => outcome !== 'done')) return false
    }
    return true
  }
  await until('the service does everything again', isFullService, longestRecoveryMs)
  return performance.now() - beganAt
}
