import type { FrameworkName } from '../cluster/instance/instance-settings.js'
import { type Instance, startInstance } from '../cluster/instance/start-instance.js'
import type { DefectName } from '../defects.js'
import { createDatabaseProbe, type DatabaseProbe } from './database-probe.js'
import { type FaultProxy, startFaultProxy } from './proxy/fault-proxy.js'
import type { OwnServer } from './servers/own-server.js'
import type { OwnServerKind } from './servers/own-servers.js'

/** All that a fault needs: a database server of its own, the network before it, and a service that uses it. */
export interface Stage {
  readonly name: OwnServerKind['name']
  readonly server: OwnServer
  readonly proxy: FaultProxy
  readonly instance: Instance
  readonly probe: DatabaseProbe
  /** The deadline of a storage call. */
  readonly storageTimeoutMs: number
  /** Ends all of it and removes its files. */
  readonly close: () => Promise<void>
}

/** Connections in the service's pool. */
export const poolSize = 5

/** What was being opened when a server vanished must not keep callers waiting for long when it is back. */
const connectTimeoutMs = 700

/** The most that the option `storageTimeoutMs` takes. */
const longestTimeoutMs = 60_000

/** How a stage is set. */
export interface StageSettings {
  readonly framework: FrameworkName
  /** On an idle machine; longer on a busy one. @default 500 */
  readonly storageTimeoutMs?: number
  /** A bug of the service. @default none */
  readonly defect?: DefectName
  /** How many times longer this machine takes than an idle one. */
  readonly slowdown: number
}

/** Sets a stage. Whoever opens it closes it. */
export const openStage = async (
  { name, start }: OwnServerKind,
  { slowdown, storageTimeoutMs: idleTimeoutMs = 500, ...settings }: StageSettings,
): Promise<Stage> => {
  const storageTimeoutMs = Math.min(idleTimeoutMs * slowdown, longestTimeoutMs)
  const undo: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const server = await start()
    undo.push(server.remove)
    const proxy = await startFaultProxy(server.url)
    undo.push(proxy.close)
    const instance = await startInstance({
      ...settings,
      storageUrl: proxy.url,
      poolSize,
      connectTimeoutMs: connectTimeoutMs * slowdown,
      options: { storageTimeoutMs },
    })
    undo.push(instance.kill)
    return { name, server, proxy, instance, probe: createDatabaseProbe(server.url), storageTimeoutMs, close }
  } catch (failure) {
    await close()
    throw failure
  }
}
