import type { Grant } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'
import type { Recorder } from '../recorder.js'

// Longer than a lookup takes, so that each revocation meets some in flight.
const slowMs = 2
const maxVisitsAfterwards = 50

/**
 * Revokes a session of each user at the first instance. Meanwhile two other instances, whose
 * network is slow, receive requests with its access token until they refuse it. Validates or
 * refreshes immediately after the acknowledged revocation.
 */
export const revokeUnderSlowLookups = async (fleet: Fleet, userIds: readonly number[]): Promise<void> => {
  const { instances, recorder, network } = fleet
  const [revoker, ...others] = instances
  if (revoker === undefined) throw new RangeError('The fleet has no instance.')
  const grants = await logInAll(recorder, revoker, userIds)
  const otherAt = (place: number): Instance => others[place % others.length] ?? revoker

  const revoked = new Set<Grant>()
  const revokeOne = async (grant: Grant, place: number): Promise<void> => {
    await recorder.revoke(revoker, grant)
    revoked.add(grant)
    await send(recorder, otherAt(place), { grant, request: 1 + (place % 2) })
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

const logInAll = async (
  recorder: Recorder,
  instance: Instance,
  userIds: readonly number[],
): Promise<readonly Grant[]> => {
  const logins = await Promise.all(userIds.map((userId) => recorder.logIn(instance, userId)))
  return logins.flatMap(({ grant }) => grant ?? [])
}

/** Sends a guarded request, a validation or a refresh. */
const send = async (
  recorder: Recorder,
  instance: Instance,
  { grant, request }: { readonly grant: Grant; readonly request: number },
): Promise<void> => {
  const requests = [recorder.visit, recorder.validate, recorder.refresh]
  await requests[request % requests.length]?.(instance, grant)
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
