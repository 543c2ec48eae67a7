import type { Grant } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'
import type { Recorder } from '../recorder.js'

// Core has at most so many batches of lookups under way; further lookups wait for the next one.
const mostLookupsUnderWay = 4

/**
 * Revokes a session of each user at the first instance while each of the others has lookups under way that have read the live
 * sessions and keep their answer. Requests that begin after the revocations must not be answered with what those read. One more
 * user's session lives on: its refresh, sent behind those requests, shows that they have arrived.
 */
export const revokeUnderHeldLookups = async (
  { instances, recorder }: Fleet,
  { userIds, witnessId }: { readonly userIds: readonly number[]; readonly witnessId: number },
): Promise<void> => {
  const [revoker, ...others] = instances
  if (revoker === undefined) throw new RangeError('A revocation needs instances.')
  const [witness, ...grants] = await logInAll(recorder, revoker, [witnessId, ...userIds])
  if (witness === undefined) throw new Error('A login failed.')
  const onOthers = (order: (other: Instance) => Promise<void>): Promise<unknown> => Promise.all(others.map(order))

  await onOthers((other) => other.setGate(['findByIds'], 'hold-after'))
  await onOthers((other) => other.setGate(['findBySelectorHash'], 'hold-before'))
  const before: Promise<unknown>[] = []
  for (const [place, grant] of grants.entries()) {
    before.push(...others.map((other) => recorder.visit(other, grant)))
    // One after another, or they would be one lookup.
    await onOthers((other) => other.awaitHeld('findByIds', Math.min(place + 1, mostLookupsUnderWay)))
  }
  await Promise.all(grants.map((grant) => recorder.revoke(revoker, grant)))
  const after = others.flatMap((other, position) => [
    ...grants.map((grant, place) => ask(recorder, other, { grant, door: (position + place) % 2 })),
    recorder.refresh(other, witness),
  ])
  await onOthers((other) => other.awaitHeld('findBySelectorHash', 1))
  await onOthers((other) => other.setGate(['findByIds', 'findBySelectorHash'], 'open'))
  await Promise.all([...before, ...after])
}

/**
 * Revokes a session of each user at the first instance while refreshes at each of the others have read the live session and are
 * about to replace its token. What these are told and left with must not outlive the revocation.
 */
export const revokeUnderHeldSwaps = async (
  { instances, recorder }: Fleet,
  userIds: readonly number[],
): Promise<void> => {
  const [revoker, ...others] = instances
  if (revoker === undefined) throw new RangeError('A revocation needs instances.')
  const grants = await logInAll(recorder, revoker, userIds)

  await Promise.all(others.map((other) => other.setGate(['rotate'], 'hold-before')))
  const refreshes = others.flatMap((other) => grants.map((grant) => recorder.refresh(other, grant)))
  await Promise.all(others.map((other) => other.awaitHeld('rotate', grants.length)))
  await Promise.all(grants.map((grant) => recorder.revoke(revoker, grant)))
  await Promise.all(others.map((other) => other.setGate(['rotate'], 'open')))
  const granted = (await Promise.all(refreshes)).flatMap(({ grant }) => grant ?? [])
  await Promise.all([...grants, ...granted].map((grant) => recorder.visit(revoker, grant)))
}

// More than a lookup takes, so that each revocation finds some under way.
const slowMs = 2
const mostVisitsAfterwards = 50

/**
 * Revokes a session of each user at the first instance, while two of the others, to which the network is slow, are asked for it
 * all the time until they refuse it; and tries to validate or to refresh as soon as the revocation is answered.
 */
export const revokeUnderSlowLookups = async (fleet: Fleet, userIds: readonly number[]): Promise<void> => {
  const { instances, recorder, network } = fleet
  const [revoker, ...others] = instances
  if (revoker === undefined) throw new RangeError('A revocation needs instances.')
  const grants = await logInAll(recorder, revoker, userIds)
  const otherAt = (place: number): Instance => others[place % others.length] ?? revoker

  const revoked = new Set<Grant>()
  const revokeOne = async (grant: Grant, place: number): Promise<void> => {
    await recorder.revoke(revoker, grant)
    revoked.add(grant)
    await ask(recorder, otherAt(place), { grant, door: 1 + (place % 2) })
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
  const answers = await Promise.all(userIds.map((userId) => recorder.logIn(instance, userId)))
  return answers.flatMap(({ grant }) => grant ?? [])
}

/** Asks at one of the three doors that a session opens. */
const ask = async (
  recorder: Recorder,
  instance: Instance,
  { grant, door }: { readonly grant: Grant; readonly door: number },
): Promise<void> => {
  const doors = [recorder.visit, recorder.validate, recorder.refresh]
  await doors[door % doors.length]?.(instance, grant)
}

/** Counts visits from the answered revocation on: how long that takes is the machine's affair. */
const visitUntilRefused = async (
  recorder: Recorder,
  instance: Instance,
  { grant, isRevoked }: { readonly grant: Grant; readonly isRevoked: () => boolean },
): Promise<void> => {
  let afterwards = 0
  while (afterwards < mostVisitsAfterwards) {
    afterwards += isRevoked() ? 1 : 0
    if ((await recorder.visit(instance, grant)).kind !== 'let-in') return
  }
}
