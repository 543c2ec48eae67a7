import { openAll, openEach } from '@jwt-auth/test-support'
import { type FaultProxy, startFaultProxy } from '../faults/proxy/fault-proxy.js'
import { checkHistory } from '../history/check-history.js'
import { describeViolation, type HistorySettings } from '../history/operation.js'
import type { InstanceSettings } from './instance/instance.js'
import { type ChangingPasswords, createChangingPasswords } from './instance/instance-users.js'
import { type Instance, instanceAt, startInstance } from './instance/start-instance.js'
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
  /** Kills the instances, closes the proxy, and removes the store. */
  readonly close: () => Promise<void>
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
 * Starts a fleet over a new store. The caller must close it.
 *
 * @example await withOpened(openFleet(store, { graceSeconds: 0 }), (fleet) => refreshAtBarrier(fleet, { userId: 1, count: 64 }))
 */
export const openFleet = (
  { create }: Store,
  { size = 3, graceSeconds = 30, maxSessionsPerUser, ...settings }: FleetSettings = {},
): Promise<Fleet> =>
  openAll(async (keep) => {
    const store = await create()
    keep(store.close)
    const passwords = createChangingPasswords()
    keep(passwords.remove)
    const network = store.url.startsWith('sqlite:') ? undefined : await startFaultProxy(store.url)
    if (network !== undefined) keep(network.close)
    const limit = maxSessionsPerUser === undefined ? {} : { maxSessionsPerUser }
    const start = (position: number): Promise<Instance> =>
      startInstance({
        ...settings,
        ...patience,
        storageUrl: (position === 0 ? undefined : network?.url) ?? store.url,
        framework: frameworks[position % frameworks.length] ?? 'express5',
        options: { refreshGraceSeconds: graceSeconds, callTimeoutMs, ...limit },
        passwordChangesFile: passwords.file,
      })
    const starts = Array.from({ length: size }, (_, position) => start(position))
    const instances = [...(await openEach(starts, ({ kill }) => kill()))]
    keep(() => Promise.all(instances.map(({ kill }) => kill())))
    const replace = async (position: number): Promise<void> => {
      await instances[position]?.kill()
      instances[position] = await start(position)
    }
    const judgedBy = { graceMs: graceSeconds * 1_000, lateEffectMs, ...limit }
    return { store, network, instances, passwords, replace, recorder: createRecorder(), judgedBy }
  })

// One service behind different frameworks, as during a migration.
const frameworks = ['express5', 'express4', 'node:http'] as const

// A statement of a killed process may reach the store after the process has ended.
const lateEffectMs = 2_000

// On a busy machine, neither a call that waits at a barrier nor a new connection must time out.
const callTimeoutMs = 20_000
const patience = { connectTimeoutMs: 10_000 }

/**
 * Adds the final reads to the history of a fleet, and checks it. Resolves to one text per
 * violation.
 */
export const findViolations = async ({ instances, recorder, judgedBy }: Fleet): Promise<readonly string[]> => {
  await recorder.readFinally(instanceAt(instances, 0))
  return checkHistory(recorder.history(), judgedBy).map(describeViolation)
}
