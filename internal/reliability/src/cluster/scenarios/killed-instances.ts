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
