import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '@jwt-auth/test-support'

const folder = fileURLToPath(new URL('../../', import.meta.url))

/** Bundles the program of an instance. Answers the bundle's path. */
export const bundleInstance = async (): Promise<string> =>
  join(await bundlePrograms({ folder, entries: ['instances/instance.ts'] }), 'instances', 'instance.mjs')
