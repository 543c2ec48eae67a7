import type { Outcome } from '../../history/operation.js'
import type { Fleet } from '../fleet.js'

/**
 * Lets clients of one session refresh without a lock, spread over all instances, as a page does
 * whose requests all got 401: each presents the newest refresh token that any of them has received.
 * Resolves to the outcomes.
 */
export const refreshInBurst = async (
  { instances, recorder }: Pick<Fleet, 'instances' | 'recorder'>,
  { userId, clients, refreshesEach }: Readonly<Record<'userId' | 'clients' | 'refreshesEach', number>>,
): Promise<readonly Outcome[]> => {
  const [first] = instances
  if (first === undefined) throw new RangeError('The fleet has no instance.')
  let { grant: newest } = await recorder.logIn(first, userId)
  const outcomes: Outcome[] = []
  const runClient = async (_: unknown, client: number): Promise<void> => {
    for (let count = 0; count < refreshesEach && newest !== undefined; count += 1) {
      const instance = instances[(client + count) % instances.length] ?? first
      const { grant, outcome } = await recorder.refresh(instance, newest)
      newest = grant ?? newest
      outcomes.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: clients }, runClient))
  return outcomes
}
