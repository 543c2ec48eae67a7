import type { Grant } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'
import type { Recorder } from '../recorder.js'

// The service has at most this many batches of lookups in flight. Further lookups wait for the next
// batch.
const maxBatchesInFlight = 4

/**
 * Revokes a session of each user at the first instance, while each other instance holds lookups
 * that have read the active sessions. The result of such a lookup must not serve a request that
 * starts after the revocations. The session of `witnessId` stays active: its refresh, sent after
 * those requests, shows that they have arrived.
 */
export const revokeUnderHeldLookups = async (
  { instances, recorder }: Fleet,
  { userIds, witnessId }: { readonly userIds: readonly number[]; readonly witnessId: number },
): Promise<void> => {
  const [revoker, ...others] = instances
  if (revoker === undefined) throw new RangeError('The fleet has no instance.')
  const [witness, ...grants] = await logInAll(recorder, revoker, [witnessId, ...userIds])
  if (witness === undefined) throw new Error('A login failed.')
  const onOthers = (order: (other: Instance) => Promise<void>): Promise<unknown> => Promise.all(others.map(order))

  await onOthers((other) => other.setGate(['findByIds'], 'hold-after'))
  await onOthers((other) => other.setGate(['findBySelectorHash'], 'hold-before'))
  const before: Promise<unknown>[] = []
  for (const [place, grant] of grants.entries()) {
    before.push(...others.map((other) => recorder.visit(other, grant)))
    // One after another, so that they are separate lookups.
    await onOthers((other) => other.awaitHeld('findByIds', Math.min(place + 1, maxBatchesInFlight)))
  }
  await Promise.all(grants.map((grant) => recorder.revoke(revoker, grant)))
  const after = others.flatMap((other, position) => [
    ...grants.map((grant, place) => send(recorder, other, { grant, request: (position + place) % 2 })),
    recorder.refresh(other, witness),
  ])
  await onOthers((other) => other.awaitHeld('findBySelectorHash', 1))
  await onOthers((other) => other.setGate(['findByIds', 'findBySelectorHash'], 'open'))
  await Promise.all([...before, ...after])
}

/**
 * Revokes a session of each user at the first instance, while refreshes at each other instance have
 * read the active session and wait before their swap. No token that such a refresh returns may be
 * valid after the revocation.
 */
export const revokeUnderHeldSwaps = async (
  { instances, recorder }: Fleet,
  userIds: readonly number[],
): Promise<void> => {
  const [revoker, ...others] = instances
  if (revoker === undefined) throw new RangeError('The fleet has no instance.')
  const grants = await logInAll(recorder, revoker, userIds)

  await Promise.all(others.map((other) => other.setGate(['rotate'], 'hold-before')))
  const refreshes = others.flatMap((other) => grants.map((grant) => recorder.refresh(other, grant)))
  await Promise.all(others.map((other) => other.awaitHeld('rotate', grants.length)))
  await Promise.all(grants.map((grant) => recorder.revoke(revoker, grant)))
  await Promise.all(others.map((other) => other.setGate(['rotate'], 'open')))
  const granted = (await Promise.all(refreshes)).flatMap(({ grant }) => grant ?? [])
  await Promise.all([...grants, ...granted].map((grant) => recorder.visit(revoker, grant)))
}

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
