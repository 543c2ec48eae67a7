import { findOwnServers, isPresent, type OwnServerKind, openAll, openEach } from '@jwt-auth/test-support'
import type { FrameworkName } from '../cluster/instance/instance-server.js'
import { startInstance } from '../cluster/instance/start-instance.js'
import { createDatabaseProbe } from './database-probe.js'
import { startFaultProxy } from './proxy/fault-proxy.js'

/** A database server of the test, the proxy in front of it, and a service that uses both. */
export type Stage = Awaited<ReturnType<typeof openStage>>

/** The number of connections in the pool of the service. */
export const poolSize = 5

/**
 * The limit for opening a connection, in milliseconds. Short, so that a connection that was being
 * opened when a server disappeared does not keep callers waiting after its return.
 */
export const connectTimeoutMs = 700

/**
 * Returns the option `callTimeoutMs` for this machine. `slowdown` is how many times longer it
 * takes than an idle one.
 */
export const toTimeoutMs = (idleTimeoutMs: number, slowdown: number): number =>
  Math.min(idleTimeoutMs * slowdown, longestTimeoutMs)

// The greatest value of the option.
const longestTimeoutMs = 60_000

/**
 * Opens a stage, with a deadline of a storage call on an idle machine. `slowdown` is how many times
 * longer this machine takes. `close` ends server, proxy and service, and removes their files.
 */
const openStage = ({ name, start }: OwnServerKind, slowdown: number, idleTimeoutMs: number) =>
  openAll(async (keep) => {
    const callTimeoutMs = toTimeoutMs(idleTimeoutMs, slowdown)
    const server = await start()
    keep(server.remove)
    const proxy = await startFaultProxy(server.url)
    keep(proxy.close)
    const instance = await startInstance({
      storageUrl: proxy.url,
      framework: frameworkOf[name],
      poolSize,
      connectTimeoutMs: connectTimeoutMs * slowdown,
      options: { callTimeoutMs },
    })
    keep(instance.kill)
    return { name, server, proxy, instance, probe: createDatabaseProbe(server.url), callTimeoutMs }
  })

/** The framework of the service over each store. */
const frameworkOf: Readonly<Record<OwnServerKind['name'], FrameworkName>> = {
  PostgreSQL: 'express5',
  MariaDB: 'express4',
  Redis: 'node:http',
}

/**
 * Opens a stage for each installed kind of server. The caller closes the stages. Closes all of them
 * when one fails to open.
 *
 * @param callTimeoutMs the deadline of a storage call on an idle machine, in milliseconds
 */
export const openStages = (callTimeoutMs = 500): Promise<readonly Stage[]> => {
  const kinds = findOwnServers().filter(isPresent)
  const slowdown = measureSlowdown()
  return openEach(
    kinds.map((kind) => openStage(kind, slowdown, callTimeoutMs)),
    ({ close }) => close(),
  )
}

/**
 * Finds violations on all stages concurrently, since most of a fault is waiting. Resolves to the
 * violations with the names of their stores. When one stage fails, rejects after the other stages
 * have finished, so that they do not disturb the next fault.
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

const measuredCpuMs = 150
// A client of Redis must notice a dead connection, after 1.4 seconds on an idle machine, before the
// search for what a fault has left behind ends, after 20 seconds.
const maxTimes = 10

/**
 * Measures how many times longer this machine takes than an idle one: the time that passes while
 * this process uses some processor time. Returns 1 if the machine takes less than twice as long,
 * and at most 10. Deadlines are multiplied by it, so that a busy machine does not exceed them.
 */
export const measureSlowdown = (): number => {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  while (usedMs(before) < measuredCpuMs) {
    // Uses processor time.
  }
  const times = (performance.now() - startedAt) / usedMs(before)
  return times < 2 ? 1 : Math.min(Math.ceil(times), maxTimes)
}

const usedMs = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
