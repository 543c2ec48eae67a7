import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createHttpClient, type HttpClient } from '../../http-client.js'
import { bundleInstance } from './bundle-instance.js'
import type { InstanceReport } from './instance-protocol.js'
import type { InstanceSettings } from './instance-settings.js'
import { createOrders } from './order-channel.js'
import type { CommittingMethod, GateMode, StorageMethod } from './storage-gate.js'

/** The end of an instance. */
export interface InstanceEnding {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last characters that it wrote to stderr. */
  readonly stderr: string
}

/** An application in its own process. `instance-protocol.ts` describes the orders. Orders to an ended instance reject. */
export interface Instance {
  /** Scheme, address and port. */
  readonly url: string
  readonly processId: number
  /** Reuses its connections. */
  readonly client: HttpClient
  readonly setGate: (methods: readonly StorageMethod[], mode: GateMode) => Promise<void>
  readonly awaitHeld: (method: StorageMethod, count: number) => Promise<void>
  readonly dieAfter: (method: CommittingMethod, count: number) => Promise<void>
  readonly occupyPool: () => Promise<void>
  readonly freePool: () => Promise<void>
  readonly report: () => Promise<InstanceReport>
  /** Sends `SIGTERM` and waits for the end. */
  readonly stop: () => Promise<InstanceEnding>
  /** Sends `SIGKILL` and waits for the end. */
  readonly kill: () => Promise<InstanceEnding>
  readonly exited: Promise<InstanceEnding>
}

const longestStderr = 10_000

/**
 * Starts an instance and waits until it listens. Rejects with its stderr if it ends before it listens. The caller must stop or kill
 * it, as `withInstances` does. An instance also ends with the process that started it.
 *
 * @example const instance = await startInstance({ storageUrl: 'postgres://postgres@127.0.0.1/test', framework: 'node:http' })
 */
export const startInstance = async (settings: InstanceSettings): Promise<Instance> => {
  const program = await prepareInstances()
  // Instances keep their limits in memory on purpose, and a test compares all of stderr.
  const quiet = '--disable-warning=JWT_AUTH_LOCAL_LIMITS'
  const child = spawn(process.execPath, ['--expose-gc', quiet, program, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Ctrl-C at a terminal reaches the whole process group. The parent decides which processes to end.
    detached: true,
  })
  const exited = awaitEnd(child)
  const orders = createOrders(child)
  const url = await Promise.race([orders.listening, rejectAtEnd(exited)])
  const client = createHttpClient(url)

  const end = async (signal: NodeJS.Signals): Promise<InstanceEnding> => {
    child.kill(signal)
    const ending = await exited
    client.close()
    return ending
  }

  return {
    url,
    processId: child.pid ?? 0,
    client,
    setGate: async (methods, mode) => {
      await orders.send({ kind: 'set-gate', methods, mode })
    },
    awaitHeld: async (method, count) => {
      await orders.send({ kind: 'await-held', method, count })
    },
    dieAfter: async (method, count) => {
      await orders.send({ kind: 'die-after', method, count })
    },
    occupyPool: async () => {
      await orders.send({ kind: 'occupy-pool' })
    },
    freePool: async () => {
      await orders.send({ kind: 'free-pool' })
    },
    report: async () => {
      const report = await orders.send({ kind: 'report' })
      if (report === null) throw new Error('The instance sent no report.')
      return report
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    exited,
  }
}

let bundled: Promise<string> | undefined

/**
 * Bundles the program of instances, once per process. Resolves to the path of the bundle. `startInstance` does the same. A
 * command may call this before it handles Ctrl-C, which ends the bundler.
 */
export const prepareInstances = (): Promise<string> => {
  bundled ??= bundleInstance()
  return bundled
}

const awaitEnd = async (child: ChildProcess): Promise<InstanceEnding> => {
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-longestStderr)
  })
  await once(child, 'close')
  return { code: child.exitCode, signal: child.signalCode, stderr }
}

const rejectAtEnd = async (exited: Promise<InstanceEnding>): Promise<never> => {
  const { code, signal, stderr } = await exited
  throw new Error(`The instance ended (${code ?? signal}) before it listened: ${stderr}`)
}
