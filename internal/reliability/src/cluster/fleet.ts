import { type FaultProxy, startFaultProxy } from '../faults/proxy/fault-proxy.js'
import type { HistorySettings } from '../history/rules/history-settings.js'
import { type ChangingPasswords, createChangingPasswords } from './changing-passwords.js'
import type { InstanceSettings } from './instance/instance-settings.js'
import { type Instance, startInstance } from './instance/start-instance.js'
import { createRecorder, type Recorder } from './recorder.js'
import type { FreshStore } from './stores/store.js'

/** Instances over one store, and the record of what is asked of them. */
export interface Fleet {
  readonly store: FreshStore
  readonly recorder: Recorder
  /** The first one reaches the store directly, the others through the network. A replaced one keeps the place. */
  readonly instances: readonly Instance[]
  /** The network between the other instances and the store; `undefined` where the store is a file. */
  readonly network: FaultProxy | undefined
  /** What a history of the instances is judged by. */
  readonly judgedBy: HistorySettings
  readonly passwords: ChangingPasswords
  /** Kills an instance, and starts another in its place. */
  readonly replace: (position: number) => Promise<void>
  /** Kills the instances and takes the network away; the store stays. */
  readonly stop: () => Promise<void>
}

/** What the instances of a fleet have in common. */
export interface FleetSettings extends Pick<InstanceSettings, 'defect'> {
  /** How many instances. @default 4 */
  readonly size?: number
  /** @default 30 */
  readonly graceSeconds?: number
  /** @default the service's */
  readonly maxSessionsPerUser?: number
}

/**
 * Starts a fleet. Whoever starts it must stop it.
 *
 * @example const fleet = await startFleet(await store.create(), { graceSeconds: 0 })
 */
export const startFleet = async (
  store: FreshStore,
  { size = 4, graceSeconds = 30, maxSessionsPerUser, ...settings }: FleetSettings = {},
): Promise<Fleet> => {
  const limit = maxSessionsPerUser === undefined ? {} : { maxSessionsPerUser }
  const passwords = await createChangingPasswords()
  const network = store.url.startsWith('sqlite:') ? undefined : await startFaultProxy(store.url)
  const instances: Instance[] = []

  const place = async (position: number): Promise<void> => {
    const storageUrl = (position === 0 ? undefined : network?.url) ?? store.url
    const framework = frameworks[position % frameworks.length]
    const options = { refreshGraceSeconds: graceSeconds, storageTimeoutMs, ...limit }
    instances[position] = await startInstance({
      ...settings,
      ...patience,
      storageUrl,
      options,
      passwordChangesFile: passwords.file,
      ...(framework && { framework }),
    })
  }
  const replace = async (position: number): Promise<void> => {
    await instances[position]?.kill()
    await place(position)
  }
  const stop = async (): Promise<void> => {
    await Promise.all(instances.map((instance) => instance.kill()))
    await network?.close()
    await passwords.remove()
  }

  const starts = await Promise.allSettled(Array.from({ length: size }, (_, position) => place(position)))
  const failure = starts.find((start) => start.status === 'rejected')
  if (failure === undefined) {
    const judgedBy = { graceMs: graceSeconds * 1_000, lateEffectMs, ...limit }
    return { store, network, instances, passwords, replace, stop, recorder: createRecorder(), judgedBy }
  }
  await stop()
  throw failure.reason
}

// One service behind different hosts, as during a migration.
const frameworks = ['express5', 'express4', 'node:http', 'node:http'] as const

// A statement of a killed process may reach the store after the process has ended.
const lateEffectMs = 2_000

// Neither what is held at a barrier nor a new connection must time out on a busy machine.
const storageTimeoutMs = 20_000
const patience = { connectTimeoutMs: 10_000 }
