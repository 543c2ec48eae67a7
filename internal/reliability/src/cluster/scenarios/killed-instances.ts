import { findRecord } from '@jwt-auth/test-support/find-records'
import { type Grant, requireGrant } from '../../history/operation-log.js'
import type { Random } from '../../random.js'
import type { Fleet } from '../fleet.js'
import { type Instance, instanceAt } from '../instance/start-instance.js'
import { actOnUser } from './crowded-user.js'

const users = [1, 2, 3, 4]
const clientsPerUser = 2
const stepsAfterwards = 40
const maxVisits = 12

/**
 * Lets clients act on the sessions of several users until one of the instances is killed, at a
 * random moment or between a commit and its response. The clients go on at the other instances.
 * Then another instance takes the place of the killed one.
 */
export const killUnderLoad = async (fleet: Fleet, random: Random): Promise<void> => {
  const position = random.between(0, fleet.instances.length - 1)
  const doomed = instanceAt(fleet.instances, position)
  let isKilled = false
  let stepsLeft = stepsAfterwards
  const mayContinue = (): boolean => {
    if (isKilled) stepsLeft -= 1
    return stepsLeft > 0
  }
  const acting = users.map((userId) => actOnUser(fleet, random, { userId, clients: clientsPerUser, mayContinue }))
  try {
    await (random.isOneIn(3) ? killAtAnyMoment(fleet, doomed, random) : killAfterCommit(doomed, random))
  } finally {
    isKilled = true
    await Promise.all(acting)
  }
  await fleet.replace(position)
}

const killAfterCommit = async (doomed: Instance, random: Random): Promise<void> => {
  await doomed.call.dieAfter(random.pick(['create', 'rotate', 'end']))
  await doomed.exited
}

/** Sends a random number of requests before the kill. */
const killAtAnyMoment = async ({ recorder }: Fleet, doomed: Instance, random: Random): Promise<void> => {
  const { grant } = await recorder.logIn(doomed, users.length + 1)
  for (let left = random.between(0, maxVisits); left > 0 && grant !== undefined; left -= 1) {
    await recorder.visit(doomed, grant)
  }
  await doomed.kill()
}

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
