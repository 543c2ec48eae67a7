import type { CommittingMethod } from '../instances/storage-gate.js'
import { liveAsClient } from './client-life.js'
import type { Fleet } from './fleet.js'
import type { Random } from './random.js'

const clients = 4
const committing: readonly CommittingMethod[] = ['create', 'rotate', 'end']

/**
 * Lets clients live at a fleet while its instances are killed one after the other and replaced: at any moment, or between a
 * commit and its answer.
 */
export const killInstances = async (
  fleet: Fleet,
  { random, kills, isOver }: { readonly random: Random; readonly kills: number; readonly isOver: () => boolean },
): Promise<void> => {
  const { recorder, instances } = fleet
  let isDone = false
  const surroundings = { recorder, random, doors: () => instances, isOver: () => isDone }
  const lives = Array.from({ length: clients }, (_, position) => liveAsClient(surroundings, position + 1))
  try {
    for (let killed = 0; killed < kills && !isOver(); killed += 1) await killOne(fleet, random)
  } finally {
    isDone = true
    await Promise.all(lives)
  }
}

/** The network delivers late what an instance that is already dead had sent; a process takes its time to start. */
const killOne = async ({ instances, replace }: Fleet, random: Random): Promise<void> => {
  const position = random.between(0, instances.length - 1)
  const instance = instances[position]
  if (instance !== undefined && random.isOneIn(2)) {
    await instance.dieAfter(random.pick(committing), random.between(1, 3))
    await instance.exited
  }
  await replace(position)
}
