import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundlePrograms } from '@jwt-auth/test-support'

const folder = fileURLToPath(new URL('../../', import.meta.url))
const bundled = bundlePrograms({ folder, sources: 'test/support', entries: ['migration-process.ts'] })

/** Creates the tables of sessions and users in another process. */
export const runMigrationProcess = async (url: string): Promise<void> => {
  const program = join(await bundled, 'migration-process.mjs')
  await promisify(execFile)(process.execPath, [program, url])
}
