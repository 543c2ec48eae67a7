import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const script = fileURLToPath(new URL('migration-process.ts', import.meta.url))

const runProcess = async (task: string, url: string): Promise<string> => {
  const args = ['--conditions=@jwt-auth/source', '--import', 'tsx', script, task, url]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.trim()
}

/** Migrates from a process of its own; answers `migrated`. */
export const startMigration = (url: string): Promise<string> => runProcess('migrate', url)

/** Works under the migration lock from a process of its own; answers `alone` when no other was at work. */
export const startVisit = (url: string): Promise<string> => runProcess('visit', url)
