import { type FaultProxy, startFaultProxy } from '../faults/proxy/fault-proxy.js'
import { checkHistory } from '../history/check-history.js'
import { describeViolation, type HistorySettings } from '../history/violation.js'
import { type ChangingPasswords, createChangingPasswords } from './changing-passwords.js'
import type { InstanceSettings } from './instance/instance-settings.js'
import { type Instance, startInstance } from './instance/start-instance.js'
import { createRecorder, type Recorder } from './recorder.js'
import type { FreshStore, Store } from './stores.js'

/** Instances over one store, and the history of their operations. */
export interface Fleet {
  readonly store: FreshStore
  readonly recorder: Recorder
  /**
   * The first instance connects to the store directly, the others through `network`. A replacement
   * takes the same place.
   */
  readonly instances: readonly Instance[]
  /** The proxy between the other instances and the store. `undefined` when the store is a file. */
  readonly network: FaultProxy | undefined
  /** The settings by which the checker judges the history. */
  readonly judgedBy: HistorySettings
  readonly passwords: ChangingPasswords
  /** Kills an instance, and starts another one in its place. */
  readonly replace: (position: number) => Promise<void>
  /** Kills the instances and closes the proxy. Keeps the store. */
  readonly stop: () => Promise<void>
}

/** The settings of all instances of a fleet. */
export interface FleetSettings extends Pick<InstanceSettings, 'defect'> {
  /** The number of instances. @default 3 */
  readonly size?: number
  /** @default 30 */
  readonly graceSeconds?: number
  /** @default the default of the service */
  readonly maxSessionsPerUser?: number
}

/**
 * Starts a fleet. The caller must stop it.
 *
 * @example const fleet = await startFleet(await store.create(), { graceSeconds: 0 })
 */
export const startFleet = async (
  store: FreshStore,
  { size = 3, graceSeconds = 30, maxSessionsPerUser, ...settings }: FleetSettings = {},
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

// One service behind different frameworks, as during a migration.
const frameworks = ['express5', 'express4', 'node:http'] as const

// A statement of a killed process may reach the store after the process has ended.
const lateEffectMs = 2_000

// On a busy machine, neither a call that waits at a barrier nor a new connection must time out.
const storageTimeoutMs = 20_000
const patience = { connectTimeoutMs: 10_000 }

/**
 * Adds the final reads to the history of a fleet, and checks it. Resolves to one text per
 * violation.
 */
export const findViolations = async ({ instances, recorder, judgedBy }: Fleet): Promise<readonly string[]> => {
  const [first] = instances
  if (first !== undefined) await recorder.readFinally(first)
  return checkHistory(recorder.history(), judgedBy).map(describeViolation)
}

/**
 * Starts a fleet over a new store and calls `use`. Removes the fleet and the store afterwards, even
 * when `use` rejects.
 *
 * @example await withFleet(store, { graceSeconds: 0 }, (fleet) => refreshAtBarrier(fleet, { userId: 1, count: 64 }))
 */
export const withFleet = async <T>(
  { create }: Store,
  settings: FleetSettings,
  use: (fleet: Fleet) => Promise<T>,
): Promise<T> => {
  const store = await create()
  try {
    const fleet = await startFleet(store, settings)
    try {
      return await use(fleet)
    } finally {
      await fleet.stop()
    }
  } finally {
    await store.drop()
  }
}
