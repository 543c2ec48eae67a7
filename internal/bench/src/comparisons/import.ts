import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Comparison, median, type Table, toText } from '../comparison.js'
import { takeTurns } from '../take-turns.js'

/** The modules that an application imports for a guard. */
const hosts: readonly (readonly string[])[] = [
  ['express-jwt'],
  ['@jwt-auth/express'],
  ['@jwt-auth/express', '@jwt-auth/storage-knex', 'knex'],
  ['passport', 'passport-jwt'],
  ['express-oauth2-jwt-bearer'],
  ['better-auth'],
]

const folder = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** Imports of built packages in new processes of plain Node, and what an installation has. */
export const importCost: Comparison = {
  name: 'import',
  summary: 'Imports',
  run: async ({ effort, log }) => {
    // Plain Node imports what an application would install. A smoke test takes an existing build,
    // however old it is.
    if (!effort.isSmoke || !existsSync(join(folder, 'node_modules/@jwt-auth/storage-knex/dist'))) {
      await run('npm', ['run', 'build'], { cwd: join(folder, '../..') })
    }
    const measure = async (modules: readonly string[]): Promise<number> => {
      const cpuMs = await measureImport(modules)
      log(`${modules.join(', ')} ${Math.round(cpuMs)} ms`)
      return cpuMs
    }
    // One import takes little time, and this time varies a lot.
    const rounds = effort.isSmoke ? 1 : effort.rounds * 4
    return [toTable(await takeTurns(hosts, measure, { ...effort, rounds }))]
  },
}

const program = `
const cpu = process.cpuUsage()
for (const name of process.argv.slice(1)) await import(name)
const { user, system } = process.cpuUsage(cpu)
process.stdout.write(String((user + system) / 1000))
`

/** Imports modules in a new process, one after another. Resolves to the CPU time in milliseconds. */
const measureImport = async (modules: readonly string[]): Promise<number> => {
  const args = ['--input-type=module', '--eval', program, '--', ...modules]
  return Number((await run(process.execPath, args, { cwd: folder })).stdout)
}

const toTable = (measured: ReadonlyMap<readonly string[], readonly number[]>): Table => ({
  caption:
    'Each import runs in a new process of plain Node, from built packages. The last columns count all dependencies.',
  head: ['', 'CPU ms', 'packages', 'MiB'],
  rows: [...measured]
    .toSorted(([, one], [, other]) => median(one) - median(other))
    .map(([modules, cpuMs]) => {
      const places = findPackages(modules)
      const bytes = places.map(measureBytes).reduce((sum, one) => sum + one)
      return [modules.join(', '), toText(cpuMs), String(places.length), toText([bytes / 2 ** 20])]
    }),
})

/** Returns the folders of packages and all their dependencies, each once. */
const findPackages = (names: readonly string[]): readonly string[] => {
  const found = new Set<string>()
  const visit = (name: string, from: string): void => {
    const place = findPackage(name, from)
    if (found.has(place)) return
    found.add(place)
    for (const dependency of Object.keys(readManifest(place).dependencies ?? {})) visit(dependency, place)
  }
  for (const name of names) visit(name, folder)
  return [...found]
}

const readManifest = (place: string) => JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))

// As `du --apparent-size` does. The packages of this repository publish the folder `dist`.
const measureBytes = (place: string): number => {
  const published = place.includes('.pnpm') ? place : join(place, 'dist')
  const files = readdirSync(published, { recursive: true, encoding: 'utf8' })
  return files.reduce((bytes, file) => bytes + statSync(join(published, file)).size, 0)
}

// Looks in each `node_modules` on the way up, as Node does.
const findPackage = (name: string, from: string): string => {
  const place = join(from, 'node_modules', name)
  if (existsSync(place)) return realpathSync(place)
  if (dirname(from) === from) throw new Error(`${name} is not installed.`)
  return findPackage(name, dirname(from))
}
