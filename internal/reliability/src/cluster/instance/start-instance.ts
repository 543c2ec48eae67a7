import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms, openEach, type ProgramEnding, startRemoteProgram } from '@jwt-auth/test-support'
import { createHttpClient } from '@jwt-auth/test-support/http-client'
import type { InstanceFunctions, InstanceSettings } from './instance.js'

/** An application in its own process. */
export type Instance = Awaited<ReturnType<typeof startInstance>>

/**
 * Starts an instance and waits until it listens. Rejects if it cannot start. The caller must stop
 * or kill it. An instance also ends with the process that started it.
 *
 * @example
 * const instance = await startInstance({ storageUrl: 'postgres://postgres@127.0.0.1/test' })
 */
export const startInstance = async (settings: InstanceSettings) => {
  const program = await prepareInstances()
  const { call, processId, ended, end } = startRemoteProgram<InstanceFunctions>(['--expose-gc', program])
  const url = await call.start(settings).catch(async (failure: unknown) => {
    await end('SIGKILL')
    throw failure
  })
  const client = createHttpClient(url)
  const endAndClose = async (signal: NodeJS.Signals): Promise<ProgramEnding> => {
    const ending = await end(signal)
    client.close()
    return ending
  }
  return {
    call,
    /** Scheme, address and port. */
    url,
    processId,
    /** Reuses its connections. */
    client,
    /** Sends `SIGTERM` and waits for the end. */
    stop: () => endAndClose('SIGTERM'),
    /** Sends `SIGKILL` and waits for the end. */
    kill: () => endAndClose('SIGKILL'),
    exited: ended,
  }
}

/**
 * Starts instances concurrently. Rejects when one cannot start. The caller must close them.
 *
 * @example await withOpened(openInstances([settings, settings]), async ({ instances: [one, other] }) => { … })
 */
export const openInstances = async (settings: readonly InstanceSettings[]) => {
  const instances = await openEach(settings.map(startInstance), ({ kill }) => kill())
  return { instances, close: () => Promise.all(instances.map(({ kill }) => kill())) }
}

/** Returns the instance at a position. Behind the last one comes the first one again. */
export const instanceAt = (instances: readonly Instance[], position: number): Instance => {
  const instance = instances[position % instances.length]
  if (instance === undefined) throw new RangeError('No instance was started.')
  return instance
}

const entry = 'cluster/instance/instance.ts'
let bundled: Promise<string> | undefined

/**
 * Bundles the program of instances, once per process. Resolves to the path of the bundle.
 * `startInstance` does the same. A command may call this before it handles Ctrl-C, which ends the
 * bundler.
 */
export const prepareInstances = async (): Promise<string> => {
  bundled ??= bundlePrograms({ folder: fileURLToPath(new URL('../../../', import.meta.url)), entries: [entry] })
  return join(await bundled, entry.replace(/\.ts$/, '.mjs'))
}
