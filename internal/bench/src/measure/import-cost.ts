import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** What importing modules costs a process that has just started. */
export interface ImportCost {
  readonly wallMs: number
  readonly cpuMs: number
  /** Files of CommonJS packages that were loaded. */
  readonly files: number
  readonly loadsBcrypt: boolean
}

// What is installed beside this package is what is imported: builds, not sources.
const folder = fileURLToPath(new URL('../../', import.meta.url))

const program = `
import { createRequire } from 'node:module'
const begin = performance.now()
const cpu = process.cpuUsage()
for (const name of process.argv.slice(1)) await import(name)
const wallMs = performance.now() - begin
const { user, system } = process.cpuUsage(cpu)
const files = Object.keys(createRequire(import.meta.url).cache)
const loadsBcrypt = files.some((file) => /[\\\\/]bcrypt[\\\\/]/.test(file))
process.stdout.write(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, files: files.length, loadsBcrypt }))
`

/** Imports modules in a fresh process, one after another, as plain Node finds them. */
export const measureImport = async (modules: readonly string[]): Promise<ImportCost> => {
  const args = ['--input-type=module', '--eval', program, '--', ...modules]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  return JSON.parse(stdout)
}
