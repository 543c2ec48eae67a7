import type { FrameworkName } from '../cluster/instance/instance-settings.js'
import { type Instance, startInstance } from '../cluster/instance/start-instance.js'
import { createDatabaseProbe, type DatabaseProbe } from './database-probe.js'
import { type FaultProxy, startFaultProxy } from './proxy/fault-proxy.js'
import type { OwnServer } from './servers/own-server.js'
import type { OwnServerKind } from './servers/own-servers.js'

/** A database server of the test, the proxy in front of it, and a service that uses both. */
export interface Stage {
  readonly name: OwnServerKind['name']
  readonly server: OwnServer
  readonly proxy: FaultProxy
  readonly instance: Instance
  readonly probe: DatabaseProbe
  /** The deadline of a storage call, in milliseconds. */
  readonly storageTimeoutMs: number
  /** Ends server, proxy and service, and removes their files. */
  readonly close: () => Promise<void>
}

/** The number of connections in the pool of the service. */
export const poolSize = 5

// Short, so that a connection that was being opened when a server disappeared does not keep callers waiting after its return.
const connectTimeoutMs = 700

// The greatest value of the option `storageTimeoutMs`.
const longestTimeoutMs = 60_000

/** The settings of a stage. */
export interface StageSettings {
  readonly framework: FrameworkName
  /** The deadline of a storage call on an idle machine, in milliseconds. Multiplied by `slowdown`. @default 500 */
  readonly storageTimeoutMs?: number
  /** How many times longer this machine takes than an idle one. */
  readonly slowdown: number
}

/** Opens a stage. The caller closes it. */
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
