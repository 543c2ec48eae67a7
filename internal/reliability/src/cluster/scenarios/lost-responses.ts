import type { SessionRecord } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'
import type { Outcome } from '../../history/operation.js'
import type { Grant, PairResult } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'

/** The outcome of a request whose instance died between its commit and its response. */
export interface LostResponse<T> {
  /** The outcome for the client: `lost`. */
  readonly first: Outcome
  /** The session as it was stored then. */
  readonly committed: SessionRecord | undefined
  /** The outcome of the same request at another instance. */
  readonly retry: T
}

/**
 * Kills an instance between the commit of a refresh and its response. The client retries at another
 * instance, and sends the new token to a third one.
 */
export const loseRefreshResponse = async (
  fleet: Fleet,
  userId: number,
): Promise<LostResponse<PairResult> & { readonly visit: Outcome | undefined }> => {
  const { recorder } = fleet
  const [dying, second, third] = firstThree(fleet)
  const { grant, sessionId } = await logIn(fleet, second, userId)
  await dying.dieAfter('rotate', 1)
  const { outcome } = await recorder.refresh(dying, grant)
  await dying.exited
  const committed = await readSession(fleet, sessionId)
  const retry = await recorder.refresh(second, grant)
  const visit = retry.grant && (await recorder.visit(third, retry.grant))
  await fleet.replace(0)
  return { first: outcome, committed, retry, visit }
}

/**
 * Kills an instance between the commit of a revocation and its response. The client retries at
 * another instance, and sends the access token to a third one.
 */
export const loseRevokeResponse = async (
  fleet: Fleet,
  userId: number,
): Promise<LostResponse<Outcome> & { readonly visit: Outcome }> => {
  const { recorder } = fleet
  const [dying, second, third] = firstThree(fleet)
  const { grant, sessionId } = await logIn(fleet, second, userId)
  await dying.dieAfter('end', 1)
  const first = await recorder.revoke(dying, grant)
  await dying.exited
  const committed = await readSession(fleet, sessionId)
  const retry = await recorder.revoke(second, grant)
  const visit = await recorder.visit(third, grant)
  await fleet.replace(0)
  return { first, committed, retry, visit }
}

const firstThree = ({ instances }: Fleet): readonly [Instance, Instance, Instance] => {
  const [dying, second, third] = instances
  if (dying === undefined || second === undefined || third === undefined)
    throw new RangeError('The fleet needs three instances.')
  return [dying, second, third]
}

const logIn = async (
  { recorder }: Fleet,
  instance: Instance,
  userId: number,
): Promise<{ readonly grant: Grant; readonly sessionId: string }> => {
  const { grant, outcome } = await recorder.logIn(instance, userId)
  if (grant === undefined || outcome.kind !== 'granted') throw new Error(`The login was not granted: ${outcome.kind}.`)
  return { grant, sessionId: outcome.sessionId }
}

const readSession = ({ store }: Fleet, sessionId: string): Promise<SessionRecord | undefined> =>
  findRecord(store.storage, sessionId)
