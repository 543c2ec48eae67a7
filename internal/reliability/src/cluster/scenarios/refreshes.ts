import { findRecord } from '@jwt-auth/test-support/find-records'
import type { Outcome } from '../../history/operation.js'
import { requireGrant } from '../../history/operation-log.js'
import { type Instance, instanceAt } from '../instance/start-instance.js'
import type { Recorder } from '../recorder.js'
import type { FreshStore } from '../stores.js'

interface Instances {
  readonly instances: readonly Instance[]
  readonly recorder: Recorder
}

/**
 * Opens a session and refreshes its token `count` times concurrently, spread over all instances. At
 * each instance, the first refresh has read the session and decided to replace the token before any
 * instance writes. The others wait for the refresh before them.
 *
 * @returns the refreshes, the guarded requests with the access token of each pair at another
 *   instance, and the session as it was stored then
 */
export const refreshAtBarrier = async (
  { instances, recorder, store }: Instances & { readonly store: Pick<FreshStore, 'storage'> },
  { userId, count }: { readonly userId: number; readonly count: number },
) => {
  const grant = requireGrant(await recorder.logIn(instanceAt(instances, 0), userId))
  const each = Math.ceil(count / instances.length)
  await Promise.all(instances.map((instance) => instance.call.holdCalls('rotate')))
  const inFlight = instances.flatMap((instance) =>
    Array.from({ length: each }, () => recorder.refresh(instance, grant)),
  )
  await Promise.all(instances.map((instance) => instance.call.awaitHeld('rotate', 1)))
  await Promise.all(instances.map((instance) => instance.call.releaseCalls('rotate')))
  const refreshes = await Promise.all(inFlight)
  const visits = await Promise.all(
    refreshes.flatMap((result, position) =>
      result.grant === undefined ? [] : recorder.visit(instanceAt(instances, position + 1), result.grant),
    ),
  )
  return { refreshes, visits, stored: await findRecord(store.storage, grant.sessionId) }
}

/**
 * Lets clients of one session refresh without a lock, spread over all instances, as a page does
 * whose requests all got 401: each presents the newest refresh token that any of them has received.
 * Resolves to the outcomes.
 */
export const refreshInBurst = async (
  { instances, recorder }: Instances,
  { userId, clients, refreshesEach }: Readonly<Record<'userId' | 'clients' | 'refreshesEach', number>>,
): Promise<readonly Outcome[]> => {
  let newest = requireGrant(await recorder.logIn(instanceAt(instances, 0), userId))
  const outcomes: Outcome[] = []
  const runClient = async (_: unknown, client: number): Promise<void> => {
    for (let count = 0; count < refreshesEach; count += 1) {
      const { grant, outcome } = await recorder.refresh(instanceAt(instances, client + count), newest)
      newest = grant ?? newest
      outcomes.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: clients }, runClient))
  return outcomes
}
