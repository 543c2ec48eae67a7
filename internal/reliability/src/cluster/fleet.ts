import { openAll, openEach } from '@jwt-auth/test-support'
import { startFaultProxy } from '../faults/proxy/fault-proxy.js'
import { checkHistory } from '../history/check-history.js'
import { describeViolation, type HistorySettings } from '../history/operation.js'
import type { InstanceSettings } from './instance/instance.js'
import { createChangingPasswords } from './instance/instance-users.js'
import { type Instance, instanceAt, startInstance } from './instance/start-instance.js'
import { createRecorder } from './recorder.js'
import type { Store } from './stores.js'

/** Instances over one store, and the history of their operations. `close` removes all of it. */
export type Fleet = Awaited<ReturnType<typeof openFleet>>

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
) =>
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
    const judgedBy: HistorySettings = { graceMs: graceSeconds * 1_000, lateEffectMs, ...limit }
    return {
      store,
      recorder: createRecorder(),
      /**
       * The first instance connects to the store directly, the others through `network`. A
       * replacement takes the same place.
       */
      instances,
      /** The proxy between the other instances and the store. `undefined` when the store is a file. */
      network,
      /** The settings by which the checker judges the history. */
      judgedBy,
      passwords,
      /** Kills an instance, and starts another one in its place. */
      replace: async (position: number): Promise<void> => {
        await instances[position]?.kill()
        instances[position] = await start(position)
      },
    }
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
