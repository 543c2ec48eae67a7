/**
 * The program of one instance: an application with `jwtAuth` over a storage, in its own process.
 * `start-instance.ts` starts it and calls its functions. `SIGTERM` lets the requests in progress
 * finish, and exits with 0.
 */
import type { SessionStorage } from '@jwt-auth/core'
import { type JwtAuthOptions, jwtAuth } from '@jwt-auth/express'
import { serveParent } from '@jwt-auth/test-support'
import { createCallGate, type MethodOf } from '@jwt-auth/test-support/call-gate'
import { type DefectName, plantDefect } from '../../defects.js'
import type { Outcome } from '../../history/operation.js'
import { type ApplicationOrder, carryOutOrder } from './application-order.js'
import { createInstanceListener, type FrameworkName, listen } from './instance-server.js'
import { createInstanceUsers } from './instance-users.js'
import { openStorage } from './open-storage.js'

/** The settings of an instance. */
export interface InstanceSettings {
  /**
   * `sqlite:FILE`, `postgres://…`, `mysql://…` or `redis://…`. The URL of Redis may have
   * `?prefix=…` for the names of keys, or `?cluster=PORT,PORT,…` for the nodes of a cluster.
   */
  readonly storageUrl: string
  /** @default 'express5' */
  readonly framework?: FrameworkName
  /** The greatest number of connections to the database. SQLite and Redis have one. @default 10 */
  readonly poolSize?: number
  /**
   * The limit for opening a connection, in milliseconds. Callers wait that long for a connection
   * that was started while the server was down. @default 1000
   */
  readonly connectTimeoutMs?: number
  /** Options of `jwtAuth`. @default none */
  readonly options?: InstanceOptions
  /**
   * The path of a JSON file with the number of password changes of each user.
   * @default passwords never change
   */
  readonly passwordChangesFile?: string
  /** A planted defect. @default none */
  readonly defect?: DefectName
}

/** The options of `jwtAuth` that tests set. */
type InstanceOptions = Pick<JwtAuthOptions, 'maxSessionsPerUser' | 'refreshGraceSeconds' | 'callTimeoutMs'>

type StorageMethod = MethodOf<SessionStorage>

/** The messages of unhandled rejections. */
const unhandledRejections: string[] = []

process.on('unhandledRejection', (reason) => unhandledRejections.push(String(reason)))

const unlimited = { points: 1_000_000, durationSeconds: 60 }

const open = async (settings: InstanceSettings) => {
  const { storageUrl, framework = 'express5', poolSize = 10, connectTimeoutMs = 1_000 } = settings
  const opened = await openStorage(storageUrl, { poolSize, connectTimeoutMs })
  const gate = createCallGate(opened.storage)
  const users = createInstanceUsers(settings.passwordChangesFile)
  const auth = jwtAuth({
    ...settings.options,
    // All instances share this secret. It protects nothing.
    secret: 'vX2h-7Qm_Lr9Tz4KpW0sYb6NcD1fGjE8',
    issuer: 'https://reliability.example',
    ...plantDefect(settings.defect, { storage: gate.port, users }),
    // All clients have one address and few users, and many present invalid tokens on purpose.
    rateLimits: {
      tokens: unlimited,
      accountAndNetwork: unlimited,
      account: unlimited,
      network: unlimited,
    },
    onError: () => {},
  })
  const server = await listen(await createInstanceListener(auth, framework))
  process.once('SIGTERM', async () => {
    await server.stop()
    await auth.close()
    await opened.close()
    process.exit(unhandledRejections.length === 0 ? 0 : 1)
  })
  return { gate, opened, auth, url: server.url }
}

const machineNow = Date.now

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
  /** Calls `sessions`, as the application does. */
  order: (order: ApplicationOrder): Promise<Outcome> => carryOutOrder(requireInstance().auth.sessions, order),
  /** Holds the further calls of storage methods. */
  holdCalls: (...methods: StorageMethod[]): void => requireInstance().gate.hold(...methods),
  /** Releases the held calls of storage methods, and lets further ones pass. */
  releaseCalls: (...methods: StorageMethod[]): void => requireInstance().gate.open(...methods),
  /** Resolves when so many calls of a method are held. */
  awaitHeld: async (method: StorageMethod, count: number): Promise<void> => {
    await requireInstance().gate.held(method, count)
  },
  /** Kills the process (SIGKILL) after the work of the next call of a method, before it returns. */
  dieAfter: (method: StorageMethod): void => {
    const { gate } = requireInstance()
    gate.hold(method)
    void gate.held(method).then(async ([call]) => {
      await call?.perform()
      process.kill(process.pid, 'SIGKILL')
    })
  },
  /**
   * Opens transactions until no connection is left, as an application that uses up its pool does.
   */
  occupyPool: (): Promise<void> => requireInstance().opened.occupyPool(),
  /** Ends these transactions. */
  freePool: (): Promise<void> => requireInstance().opened.freePool(),
  /** Gives a connection back to the pool in a transaction, as an application with a bug does. */
  leakTransaction: (): Promise<void> => requireInstance().opened.leakTransaction(),
  /** Sets the wall clock of the process to so many milliseconds before or after the machine's. */
  setClock: (offsetMs: number): void => {
    Date.now = () => machineNow() + offsetMs
  },
  /** Collects garbage and measures the process. */
  report: () => {
    globalThis.gc?.()
    const pool = requireInstance().opened.readPool()
    return { pool, heapUsedBytes: process.memoryUsage().heapUsed, unhandledRejections }
  },
}

/** The functions of the program. */
export type InstanceFunctions = typeof functions

serveParent(functions)
