import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '@jwt-auth/test-support'

const folder = fileURLToPath(new URL('../../../', import.meta.url))
const entry = 'cluster/instance/instance.ts'

/** Bundles the program of an instance. Resolves to the path of the bundle. */
export const bundleInstance = async (): Promise<string> =>
  join(await bundlePrograms({ folder, entries: [entry] }), entry.replace(/\.ts$/, '.mjs'))
