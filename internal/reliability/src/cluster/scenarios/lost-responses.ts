import { findRecord } from '@jwt-auth/test-support/find-records'
import { type Grant, requireGrant } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import { type Instance, instanceAt } from '../instance/start-instance.js'

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
  { recorder, instances, store, replace }: Fleet,
  userId: number,
  commit: 'rotate' | 'end',
  send: (instance: Instance, grant: Grant) => Promise<T>,
) => {
  const [dying, second, third] = [instanceAt(instances, 0), instanceAt(instances, 1), instanceAt(instances, 2)]
  const grant = requireGrant(await recorder.logIn(second, userId))
  await dying.call.dieAfter(commit)
  const first = await send(dying, grant)
  await dying.exited
  const committed = await findRecord(store.storage, grant.sessionId)
  const retry = await send(second, grant)
  await replace(0)
  return { grant, first, committed, retry, third }
}
