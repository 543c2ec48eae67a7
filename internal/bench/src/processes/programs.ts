import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms, type RemoteProgram, startRemoteProgram } from '@jwt-auth/test-support'
import type { Load } from './load.js'
import type { Operations } from './operations.js'
import type { Server } from './server.js'

/** Starts the programs of the bench, each in its own process. The caller must end them. */
export interface Programs {
  readonly startLoad: () => RemoteProgram<Load>
  readonly startOperations: () => RemoteProgram<Operations>
  readonly startServer: () => RemoteProgram<Server>
}

/** Bundles the programs. */
export const bundleAll = async (): Promise<Programs> => {
  const bundled = await bundlePrograms({
    folder: fileURLToPath(new URL('../../', import.meta.url)),
    entries: ['load', 'operations', 'server'].map((name) => `processes/${name}.ts`),
    // Contenders load their packages in installed form, from `node_modules`.
    isWhole: false,
  })
  const start = <Functions extends object>(name: string): RemoteProgram<Functions> =>
    startRemoteProgram([join(bundled, 'processes', `${name}.mjs`)])
  return {
    startLoad: () => start('load'),
    startOperations: () => start('operations'),
    startServer: () => start('server'),
  }
}
