import { findRecord } from '@jwt-auth/test-support/find-records'
import type { Grant } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'
import type { CommittingMethod } from '../instance/storage-gate.js'

/**
 * Kills an instance between the commit of a refresh and its response. The client retries at another
 * instance, and sends the new token to a third one.
 */
export const loseRefreshResponse = async (fleet: Fleet, userId: number) => {
  const { recorder } = fleet
  const { first, retry, third, ...lost } = await loseResponse(fleet, userId, 'rotate', recorder.refresh)
  const visit = retry.grant && (await recorder.visit(third, retry.grant))
  return { ...lost, first: first.outcome, retry, visit }
}

/**
 * Kills an instance between the commit of a revocation and its response. The client retries at
 * another instance, and sends the access token to a third one.
 */
export const loseRevokeResponse = async (fleet: Fleet, userId: number) => {
  const { grant, third, ...lost } = await loseResponse(fleet, userId, 'end', fleet.recorder.revoke)
  return { ...lost, visit: await fleet.recorder.visit(third, grant) }
}

/** Resolves to both outcomes of the request, and to the session as it was stored in between. */
const loseResponse = async <T>(
  fleet: Fleet,
  userId: number,
  commit: CommittingMethod,
  send: (instance: Instance, grant: Grant) => Promise<T>,
) => {
  const [dying, second, third] = firstThree(fleet)
  const { grant, outcome } = await fleet.recorder.logIn(second, userId)
  if (grant === undefined || outcome.kind !== 'granted') throw new Error(`The login was not granted: ${outcome.kind}.`)
  await dying.dieAfter(commit)
  const first = await send(dying, grant)
  await dying.exited
  const committed = await findRecord(fleet.store.storage, outcome.sessionId)
  const retry = await send(second, grant)
  await fleet.replace(0)
  return { grant, first, committed, retry, third }
}

const firstThree = ({ instances }: Fleet): readonly [Instance, Instance, Instance] => {
  const [dying, second, third] = instances
  if (dying === undefined || second === undefined || third === undefined)
    throw new RangeError('The fleet needs three instances.')
  return [dying, second, third]
}
