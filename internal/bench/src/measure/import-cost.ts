import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** The cost of importing modules in a new process. */
export interface ImportCost {
  readonly wallMs: number
  readonly cpuMs: number
  /** Files of CommonJS packages that were loaded. */
  readonly files: number
  readonly loadsBcrypt: boolean
}

// The packages that are installed here are imported as builds, not as sources.
const folder = fileURLToPath(new URL('../../', import.meta.url))

const program = `
import { createRequire } from 'node:module'
const startedAt = performance.now()
const cpu = process.cpuUsage()
for (const name of process.argv.slice(1)) await import(name)
const wallMs = performance.now() - startedAt
const { user, system } = process.cpuUsage(cpu)
const files = Object.keys(createRequire(import.meta.url).cache)
const loadsBcrypt = files.some((file) => /[\\\\/]bcrypt[\\\\/]/.test(file))
process.stdout.write(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, files: files.length, loadsBcrypt }))
`

/** Imports modules in a new process of plain Node, one after another. */
export const measureImport = async (modules: readonly string[]): Promise<ImportCost> => {
  const args = ['--input-type=module', '--eval', program, '--', ...modules]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  return JSON.parse(stdout)
}

/**
 * Builds the packages of this workspace, so that plain Node can import what an application would
 * install.
 *
 * @param mayBeOld whether an existing build is enough, however old it is
 */
export const buildPackages = async (mayBeOld: boolean): Promise<void> => {
  if (mayBeOld && existsSync(join(root, 'packages/storage-knex/dist'))) return
  await promisify(execFile)(join(root, 'node_modules', '.bin', 'pnpm'), ['run', 'build'], { cwd: root })
}
