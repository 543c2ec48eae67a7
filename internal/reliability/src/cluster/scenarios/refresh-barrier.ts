import type { SessionRecord } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'
import type { Outcome } from '../../history/operation.js'
import type { PairResult } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import type { FreshStore } from '../stores.js'

/** The outcome of refreshes that all waited before their swap. */
export interface BarrierResult {
  readonly refreshes: readonly PairResult[]
  /** The outcomes of guarded requests with the access token of each pair, at another instance. */
  readonly visits: readonly Outcome[]
  /** The session as it was stored then. */
  readonly stored: SessionRecord | undefined
}

/**
 * Opens a session and refreshes its token `count` times concurrently, spread over all instances. At
 * each instance, the first refresh has read the session and decided to replace the token before any
 * instance writes. The others wait for the refresh before them.
 */
export const refreshAtBarrier = async (
  {
    instances,
    recorder,
    store,
  }: Pick<Fleet, 'instances' | 'recorder'> & { readonly store: Pick<FreshStore, 'storage'> },
  { userId, count }: { readonly userId: number; readonly count: number },
): Promise<BarrierResult> => {
  const [first] = instances
  if (first === undefined) throw new RangeError('The fleet has no instance.')
  const { grant, outcome: login } = await recorder.logIn(first, userId)
  if (grant === undefined || login.kind !== 'granted') throw new Error(`The login was not granted: ${login.kind}.`)

  const each = Math.ceil(count / instances.length)
  await Promise.all(instances.map((instance) => instance.holdCalls('rotate')))
  const inFlight = instances.flatMap((instance) =>
    Array.from({ length: each }, () => recorder.refresh(instance, grant)),
  )
  await Promise.all(instances.map((instance) => instance.awaitHeld('rotate', 1)))
  await Promise.all(instances.map((instance) => instance.releaseCalls('rotate')))
  const refreshes = await Promise.all(inFlight)

  const visits = await Promise.all(
    refreshes.flatMap((result, position) => {
      const elsewhere = instances[(position + 1) % instances.length] ?? first
      return result.grant === undefined ? [] : recorder.visit(elsewhere, result.grant)
    }),
  )
  const stored = await findRecord(store.storage, login.sessionId)
  return { refreshes, visits, stored }
}
