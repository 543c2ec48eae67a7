import { fork } from 'node:child_process'
import type { SessionStorage } from '@jwt-auth/core'
import { getMember, sessionStorageMethods } from '@jwt-auth/core/internal'
import type { Awaitable } from './conformance-case.js'

/** Two child processes that open storages on one backend. */
interface StorageProcesses {
  /**
   * Opens a storage on the backend in each process. Calls of the returned storages run in the
   * processes, without their `signal`.
   *
   * @param backend what `serveStorage` receives, such as the URL of an empty database: a value that
   * structured cloning copies
   */
  readonly open: (backend: unknown) => Promise<readonly [SessionStorage, SessionStorage]>
  /** Ends the processes. */
  readonly stop: () => void
}

type Method = (typeof sessionStorageMethods)[number]
type Request = { readonly backend: unknown } | { readonly method: Method; readonly args: readonly unknown[] }
type Reply = { readonly value: unknown } | { readonly problem: string }
type Numbered<Message> = Message & { readonly id: number }

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * Starts two processes, each of which runs a module that calls {@link serveStorage}. Each process
 * loads its own copy of the adapter. The processes end with this process.
 *
 * @example
 * ```ts
 * const processes = startStorageProcesses(new URL('./storage-process.js', import.meta.url))
 * export const createProcessStorages = async () => processes.open(await emptyDatabaseUrl())
 * ```
 */
export const startStorageProcesses = (module: string | URL): StorageProcesses => {
  const [one, other] = [startProcess(module), startProcess(module)]
  return {
    open: (backend) => Promise.all([openIn(one, backend), openIn(other, backend)]),
    stop: () => {
      for (const { stop } of [one, other]) stop()
    },
  }
}

/**
 * Opens storages for {@link startStorageProcesses}. Call it in the module that the processes run.
 *
 * @param openStorage opens a storage on the backend that `open` received; called again for each
 * case
 * @example
 * ```ts
 * // storage-process.js
 * serveStorage((url) => exampleStorage(connect(url)))
 * ```
 */
export const serveStorage = <Backend>(openStorage: (backend: Backend) => Awaitable<SessionStorage>): void => {
  let storage: SessionStorage | undefined
  const perform = async (request: Request): Promise<unknown> => {
    if ('backend' in request) {
      // The author passes the backend to `open`, and knows its type.
      storage = await openStorage(request.backend as Backend)
      return undefined
    }
    if (storage === undefined) throw new Error('the storage is not open')
    return Reflect.apply(storage[request.method], storage, request.args)
  }
  process.on('message', async ({ id, request }: Numbered<{ readonly request: Request }>) => {
    const send = (reply: Reply) => process.send?.({ id, reply })
    try {
      send({ value: await perform(request) })
    } catch (error) {
      send({ problem: error instanceof Error ? error.message : String(error) })
    }
  })
  // Connections of the adapter would keep the process running.
  process.once('disconnect', () => process.exit())
}

const startProcess = (module: string | URL) => {
  const child = fork(module, { serialization: 'advanced' })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let end: Error | undefined
  const fail = (reason: string) => {
    end ??= new Error(`the process of the storage ${reason}`)
    for (const { reject } of waiting.values()) reject(end)
    waiting.clear()
  }
  child.once('error', (error) => fail(`failed: ${error.message}`))
  child.once('exit', (code, signal) => fail(`ended with ${signal ?? code}`))
  child.on('message', ({ id, reply }: Numbered<{ readonly reply: Reply }>) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if ('problem' in reply) call?.reject(new Error(reply.problem))
    else call?.resolve(reply.value)
    if (waiting.size === 0) child.channel?.unref()
  })
  // Only a call that waits keeps this process running.
  child.unref()
  child.channel?.unref()
  return {
    ask: (request: Request) =>
      new Promise<unknown>((resolve, reject) => {
        if (end !== undefined) return reject(end)
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        child.channel?.ref()
        child.send({ id: lastId, request })
      }),
    stop: () => void child.kill(),
  }
}

const openIn = async ({ ask }: ReturnType<typeof startProcess>, backend: unknown): Promise<SessionStorage> => {
  await ask({ backend })
  const toCall =
    (method: Method) =>
    (...args: readonly unknown[]) =>
      ask({ method, args: args.filter((arg) => getMember(arg, 'signal') === undefined) })
  const methods: object = Object.fromEntries(sessionStorageMethods.map((method) => [method, toCall(method)]))
  // The process returns what the adapter returned, which the cases check.
  return methods as SessionStorage
}
