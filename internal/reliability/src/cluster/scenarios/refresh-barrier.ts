import type { SessionRecord } from '@jwt-auth/core'
import type { Outcome } from '../../history/operation.js'
import type { PairAnswer } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'

/** What came of refreshes that all stood before their swap at once. */
export interface BarrierResult {
  readonly refreshes: readonly PairAnswer[]
  /** What the guard said to the access token of each pair, at another instance than the one that answered it. */
  readonly visits: readonly Outcome[]
  /** The session as it is stored then. */
  readonly stored: SessionRecord | undefined
}

/**
 * Opens a session and lets all instances refresh its token at once: each request has read the session and decided to replace
 * the token before any of them may. `count` is how many, spread evenly.
 */
export const refreshAtBarrier = async (
  { instances, recorder, store }: Fleet,
  { userId, count }: { readonly userId: number; readonly count: number },
): Promise<BarrierResult> => {
  const [first] = instances
  if (first === undefined) throw new RangeError('A barrier needs instances.')
  const { grant, outcome: login } = await recorder.logIn(first, userId)
  if (grant === undefined || login.kind !== 'granted') throw new Error(`The login was answered ${login.kind}.`)

  const each = Math.ceil(count / instances.length)
  await Promise.all(instances.map((instance) => instance.setGate(['rotate'], 'hold-before')))
  const underWay = instances.flatMap((instance) =>
    Array.from({ length: each }, () => recorder.refresh(instance, grant)),
  )
  await Promise.all(instances.map((instance) => instance.awaitHeld('rotate', each)))
  await Promise.all(instances.map((instance) => instance.setGate(['rotate'], 'open')))
  const refreshes = await Promise.all(underWay)

  const visits = await Promise.all(
    refreshes.flatMap((answer, position) => {
      const elsewhere = instances[(position + 1) % instances.length] ?? first
      return answer.grant === undefined ? [] : recorder.visit(elsewhere, answer.grant)
    }),
  )
  const [stored] = await store.storage.findByIds([login.sessionId])
  return { refreshes, visits, stored }
}
