import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundlePrograms } from '@jwt-auth/test-support'

const folder = fileURLToPath(new URL('../../', import.meta.url))
const bundled = bundlePrograms({ folder, sources: 'test/support', entries: ['migration-process.ts'] })

const runProcess = async (task: string, url: string): Promise<string> => {
  const program = join(await bundled, 'migration-process.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [program, task, url])
  return stdout.trim()
}

/** Migrates from a process of its own; answers `migrated`. */
export const startMigration = (url: string): Promise<string> => runProcess('migrate', url)

/** Works under the migration lock from a process of its own; answers `alone` when no other was at work. */
export const startVisit = (url: string): Promise<string> => runProcess('visit', url)
