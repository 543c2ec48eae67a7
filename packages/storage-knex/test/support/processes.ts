import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundlePrograms } from '@jwt-auth/test-support'

const folder = fileURLToPath(new URL('../../', import.meta.url))
const bundled = bundlePrograms({ folder, sources: 'test/support', entries: ['migration-process.ts'] })

/**
 * Migrates in another process, and works there under the migration lock. Resolves to `alone` when
 * no other process worked meanwhile.
 */
export const runMigrationProcess = async (url: string): Promise<string> => {
  const program = join(await bundled, 'migration-process.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [program, url])
  return stdout
}
