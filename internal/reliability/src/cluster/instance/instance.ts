/**
 * The program of one instance: an application with `jwtAuth` over a storage, in its own process.
 * `start-instance.ts` starts it and calls its functions. `SIGTERM` lets the requests in progress
 * finish, and exits with 0.
 */
import { type AuthError, jwtAuth } from '@jwt-auth/express'
import { serveParent } from '@jwt-auth/test-support'
import { plantDefect } from '../../defects.js'
import { withApplicationRoute } from './application-route.js'
import { createInstanceListener, listen } from './instance-server.js'
import type { InstanceSettings } from './instance-settings.js'
import { createInstanceUsers } from './instance-users.js'
import { type OpenedStorage, openStorage, type PoolUse } from './open-storage.js'
import { type CommittingMethod, createStorageGate, type GateMode, type StorageMethod } from './storage-gate.js'

/** The measurements of an instance. */
export interface InstanceReport {
  readonly pool: PoolUse
  readonly heapUsedBytes: number
  readonly residentBytes: number
  /** The messages of unhandled rejections. */
  readonly unhandledRejections: readonly string[]
  /** How often `onError` was called with each code. */
  readonly errorCounts: Readonly<Record<string, number>>
  /** The code and the cause of the last errors that `onError` received. At most 20. */
  readonly lastErrors: readonly string[]
}

const unhandledRejections: string[] = []
const errorCounts: Record<string, number> = {}
const lastErrors: string[] = []

process.on('unhandledRejection', (reason) => unhandledRejections.push(String(reason)))

const noteError = (error: AuthError): void => {
  errorCounts[error.code] = (errorCounts[error.code] ?? 0) + 1
  const text = `${error.code}: ${error.cause instanceof Error ? error.cause.message : error.message}`
  lastErrors.splice(0, Math.max(0, lastErrors.push(text) - 20))
}

const unlimited = { points: 1_000_000, durationSeconds: 60 }

const open = async (settings: InstanceSettings) => {
  const { storageUrl, framework = 'express5', poolSize = 10, connectTimeoutMs = 1_000 } = settings
  const opened = await openStorage(storageUrl, { poolSize, connectTimeoutMs })
  const gate = createStorageGate(opened.storage, () => process.kill(process.pid, 'SIGKILL'))
  const users = createInstanceUsers(settings.passwordChangesFile)
  const auth = jwtAuth({
    ...settings.options,
    // All instances share this secret. It protects nothing.
    secret: 'vX2h-7Qm_Lr9Tz4KpW0sYb6NcD1fGjE8',
    issuer: 'https://reliability.example',
    ...plantDefect(settings.defect, { storage: gate.storage, users }),
    // All clients have one address and few users, and many present invalid tokens on purpose.
    rateLimits: {
      tokens: unlimited,
      accountAndNetwork: unlimited,
      account: unlimited,
      network: unlimited,
    },
    onError: noteError,
  })
  const server = await listen(withApplicationRoute(auth, await createInstanceListener(auth, framework)))
  process.once('SIGTERM', () => void stop({ server, auth, opened }))
  return { gate, opened, url: server.url }
}

interface Stoppable {
  readonly server: { readonly stop: () => Promise<void> }
  readonly auth: { readonly close: () => Promise<void> }
  readonly opened: OpenedStorage
}

const stop = async ({ server, auth, opened }: Stoppable): Promise<void> => {
  await server.stop()
  await auth.close()
  await opened.close()
  process.exit(unhandledRejections.length === 0 ? 0 : 1)
}

let instance: Awaited<ReturnType<typeof open>> | undefined

const requireInstance = () => {
  if (instance === undefined) throw new Error('The instance was not started.')
  return instance
}

const functions = {
  /** Opens the storage and listens. Resolves to the URL. */
  start: async (settings: InstanceSettings): Promise<string> => {
    instance = await open(settings)
    return instance.url
  },
  /** Sets what storage methods do with calls, and releases the calls that were held there. */
  setGate: (methods: readonly StorageMethod[], mode: GateMode): void => requireInstance().gate.set(methods, mode),
  /** Resolves when so many calls of a method are held. */
  awaitHeld: (method: StorageMethod, count: number): Promise<void> => requireInstance().gate.awaitHeld(method, count),
  /**
   * Kills the process (SIGKILL) after so many further commits of a method, before the call returns.
   */
  dieAfter: (method: CommittingMethod, count: number): void => requireInstance().gate.dieAfter(method, count),
  /**
   * Opens transactions until no connection is left, as an application that uses up its pool does.
   */
  occupyPool: (): Promise<void> => requireInstance().opened.occupyPool(),
  /** Ends these transactions. */
  freePool: (): Promise<void> => requireInstance().opened.freePool(),
  /** Collects garbage and measures the process. */
  report: (): InstanceReport => {
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    const pool = requireInstance().opened.readPool()
    return { pool, heapUsedBytes: heapUsed, residentBytes: rss, unhandledRejections, errorCounts, lastErrors }
  },
}

/** The functions of the program. */
export type InstanceFunctions = typeof functions

serveParent(functions)
