import type { Random } from '../../random.js'
import type { Fleet } from '../fleet.js'
import type { Instance } from '../instance/start-instance.js'
import type { CommittingMethod } from '../instance/storage-gate.js'
import { liveAsClient } from './client-life.js'

const clients = 4
const mostVisits = 12
const committing: readonly CommittingMethod[] = ['create', 'rotate', 'end']

/**
 * Lets clients live at a fleet until one of its instances is killed, at any moment or between a commit and its answer; the
 * clients then finish what they had begun at the others. Another instance takes the place of the killed one.
 */
export const killUnderLoad = async (fleet: Fleet, random: Random): Promise<void> => {
  const { recorder, instances, replace } = fleet
  const position = random.between(0, instances.length - 1)
  const doomed = instances[position]
  if (doomed === undefined) throw new RangeError('Nobody is there to be killed.')
  let isKilled = false
  const surroundings = { recorder, random, doors: () => instances, isOver: () => isKilled }
  const lives = Array.from({ length: clients }, (_, client) => liveAsClient(surroundings, client + 1))
  try {
    await (random.isOneIn(3) ? killAtAnyMoment(fleet, doomed, random) : killBehindCommit(doomed, random))
  } finally {
    isKilled = true
    await Promise.all(lives)
  }
  await replace(position)
}

const killBehindCommit = async (doomed: Instance, random: Random): Promise<void> => {
  await doomed.dieAfter(random.pick(committing), 1)
  await doomed.exited
}

/** Measures the moment in requests of its own. */
const killAtAnyMoment = async ({ recorder }: Fleet, doomed: Instance, random: Random): Promise<void> => {
  const { grant } = await recorder.logIn(doomed, clients + 1)
  for (let left = random.between(0, mostVisits); left > 0 && grant !== undefined; left -= 1) {
    await recorder.visit(doomed, grant)
  }
  await doomed.kill()
}
