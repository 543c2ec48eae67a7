import type { Random } from '../../random.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'
import type { CommittingMethod } from '../instance/storage-gate.js'
import { runClient } from './client-sessions.js'

const clients = 4
const maxVisits = 12
const committing: readonly CommittingMethod[] = ['create', 'rotate', 'end']

/**
 * Runs clients until one of the instances is killed, at a random moment or between a commit and its response. The clients then
 * complete their sessions at the other instances. Another instance takes the place of the killed one.
 */
export const killUnderLoad = async (fleet: Fleet, random: Random): Promise<void> => {
  const { recorder, instances, replace } = fleet
  const position = random.between(0, instances.length - 1)
  const doomed = instances[position]
  if (doomed === undefined) throw new RangeError('The fleet has no instance.')
  let isKilled = false
  const context = { recorder, random, endpoints: () => instances, isFinished: () => isKilled }
  const running = Array.from({ length: clients }, (_, client) => runClient(context, client + 1))
  try {
    await (random.isOneIn(3) ? killAtAnyMoment(fleet, doomed, random) : killAfterCommit(doomed, random))
  } finally {
    isKilled = true
    await Promise.all(running)
  }
  await replace(position)
}

const killAfterCommit = async (doomed: Instance, random: Random): Promise<void> => {
  await doomed.dieAfter(random.pick(committing), 1)
  await doomed.exited
}

/** Sends a random number of requests before the kill. */
const killAtAnyMoment = async ({ recorder }: Fleet, doomed: Instance, random: Random): Promise<void> => {
  const { grant } = await recorder.logIn(doomed, clients + 1)
  for (let left = random.between(0, maxVisits); left > 0 && grant !== undefined; left -= 1) {
    await recorder.visit(doomed, grant)
  }
  await doomed.kill()
}
