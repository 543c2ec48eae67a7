import type { SessionRecord } from '@jwt-auth/core'
import type { Outcome } from '../../history/operation.js'
import type { Grant, PairAnswer } from '../../history/operation-log.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'

/** What came of a request whose instance died between its commit and its answer. */
export interface LostAnswer<T> {
  /** What the client knew: `lost`. */
  readonly first: Outcome
  /** The session as the instance left it. */
  readonly committed: SessionRecord | undefined
  /** What the same request was answered at another instance. */
  readonly retry: T
}

/** A refresh is committed and never answered; the client tries again elsewhere, and visits a third instance with what it gets. */
export const loseRefreshAnswer = async (
  fleet: Fleet,
  userId: number,
): Promise<LostAnswer<PairAnswer> & { readonly visit: Outcome | undefined }> => {
  const { recorder } = fleet
  const [dying, second, third] = three(fleet)
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

/** A revocation is committed and never answered; the client tries again elsewhere, and visits a third instance. */
export const loseRevokeAnswer = async (
  fleet: Fleet,
  userId: number,
): Promise<LostAnswer<Outcome> & { readonly visit: Outcome }> => {
  const { recorder } = fleet
  const [dying, second, third] = three(fleet)
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

const three = ({ instances }: Fleet): readonly [Instance, Instance, Instance] => {
  const [dying, second, third] = instances
  if (dying === undefined || second === undefined || third === undefined)
    throw new RangeError('This takes three instances.')
  return [dying, second, third]
}

const logIn = async (
  { recorder }: Fleet,
  instance: Instance,
  userId: number,
): Promise<{ readonly grant: Grant; readonly sessionId: string }> => {
  const { grant, outcome } = await recorder.logIn(instance, userId)
  if (grant === undefined || outcome.kind !== 'granted') throw new Error(`The login was answered ${outcome.kind}.`)
  return { grant, sessionId: outcome.sessionId }
}

const readSession = async ({ store }: Fleet, sessionId: string): Promise<SessionRecord | undefined> => {
  const [session] = await store.storage.findByIds([sessionId])
  return session
}
