import { isPresent } from '@jwt-auth/test-support'
import type { FrameworkName } from '../cluster/instance/instance-settings.js'
import { findOwnServers, type OwnServerKind } from './servers/own-servers.js'
import { measureSlowdown } from './slowdown.js'
import { openStage, type Stage, type StageSettings } from './stage.js'

/** The framework of the service over each store. */
const frameworkOf: Readonly<Record<OwnServerKind['name'], FrameworkName>> = {
  PostgreSQL: 'express5',
  MariaDB: 'express4',
  Redis: 'node:http',
}

/** Opens a stage for each installed kind of server. The caller closes the stages. Closes all of them when one fails to open. */
export const openStages = async (settings: Pick<StageSettings, 'storageTimeoutMs'> = {}): Promise<readonly Stage[]> => {
  const kinds = (await findOwnServers()).filter(isPresent)
  const slowdown = measureSlowdown()
  const openings = await Promise.allSettled(
    kinds.map((kind) => openStage(kind, { ...settings, slowdown, framework: frameworkOf[kind.name] })),
  )
  const stages = openings.flatMap((opening) => (opening.status === 'fulfilled' ? opening.value : []))
  const failure = openings.find((opening) => opening.status === 'rejected')
  if (failure === undefined) return stages
  await Promise.all(stages.map(({ close }) => close()))
  throw failure.reason
}

/**
 * Finds violations on all stages concurrently, since most of a fault is waiting. Resolves to the violations with the names of
 * their stores. When one stage fails, rejects after the other stages have finished, so that they do not disturb the next fault.
 */
export const onEachStage = async (
  stages: readonly Stage[],
  findViolations: (stage: Stage) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const found = stages.map(async (stage) =>
    (await findViolations(stage)).map((violation) => `${stage.name}: ${violation}`),
  )
  await Promise.allSettled(found)
  return (await Promise.all(found)).flat()
}
