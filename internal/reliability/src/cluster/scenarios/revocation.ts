import type { Grant } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import { type Instance, instanceAt } from '../instance/start-instance.js'
import { logInAll, type Recorder } from '../recorder.js'

// Longer than a lookup takes, so that each revocation meets some in flight.
const slowMs = 2
const maxVisitsAfterwards = 50

/**
 * Revokes a session of each user at the first instance. Meanwhile two other instances, whose
 * network is slow, receive requests with its access token until they refuse it. Validates or
 * refreshes immediately after the acknowledged revocation.
 */
export const revokeUnderSlowLookups = async (
  { instances, recorder, network }: Fleet,
  userIds: readonly number[],
): Promise<void> => {
  const revoker = instanceAt(instances, 0)
  const grants = await logInAll(recorder, revoker, userIds)
  const otherAt = (place: number): Instance => instanceAt(instances.slice(1), place)

  const revoked = new Set<Grant>()
  const revokeOne = async (grant: Grant, place: number): Promise<void> => {
    await recorder.revoke(revoker, grant)
    revoked.add(grant)
    await (place % 2 === 0 ? recorder.validate : recorder.refresh)(otherAt(place), grant)
  }
  await network?.setFault({ kind: 'delay', way: 'both', delayMs: slowMs })
  await Promise.all(
    grants.flatMap((grant, place) => [
      visitUntilRefused(recorder, otherAt(place + 1), { grant, isRevoked: () => revoked.has(grant) }),
      visitUntilRefused(recorder, otherAt(place + 2), { grant, isRevoked: () => revoked.has(grant) }),
      revokeOne(grant, place),
    ]),
  )
  await network?.setFault({ kind: 'none' })
}

/**
 * Sends guarded requests until one is refused. Stops after a number of requests, not after a time,
 * since machines differ in speed.
 */
const visitUntilRefused = async (
  recorder: Recorder,
  instance: Instance,
  { grant, isRevoked }: { readonly grant: Grant; readonly isRevoked: () => boolean },
): Promise<void> => {
  let afterwards = 0
  while (afterwards < maxVisitsAfterwards) {
    afterwards += isRevoked() ? 1 : 0
    if ((await recorder.visit(instance, grant)).kind !== 'authenticated') return
  }
}
