/** Compares the project with other libraries. `npm run bench` lists the comparisons. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { inspect } from 'node:util'
import { listenForEnd } from '@jwt-auth/test-support'
import { type CommandLine, parseCommandLine, usage } from './command-line.js'
import { guard } from './comparisons/guard.js'
import { importCost } from './comparisons/import.js'
import { instances } from './comparisons/instances.js'
import { journey } from './comparisons/journey.js'
import { login } from './comparisons/login.js'
import { memory } from './comparisons/memory.js'
import { refresh } from './comparisons/refresh.js'
import { verify } from './comparisons/verify.js'
import { requireContenders } from './contenders/contenders.js'
import { bundleAll } from './processes/programs.js'
import { toMarkdown } from './table.js'
import { findSharedStores } from './world/shared-stores.js'

/** All comparisons, in the order of docs/performance.md. */
const comparisons = [guard, memory, verify, login, refresh, importCost, instances, journey]

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const log = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Writes a run as one line, with five significant digits. */
const toLine = (run: object): string =>
  JSON.stringify(run, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value))

const parseArguments = (): CommandLine | undefined => {
  try {
    const names = comparisons.map(({ name }) => name)
    return parseCommandLine(process.argv.slice(2), names)
  } catch (failure) {
    print(`${failure instanceof Error ? failure.message : String(failure)}\n${usage}`)
    return undefined
  }
}

const main = async (): Promise<number> => {
  const commandLine = parseArguments()
  if (commandLine === undefined) return 1
  const { names, effort, json } = commandLine
  const chosen = comparisons.filter(({ name }) => names.includes(name))
  if (chosen.length === 0) {
    print([...comparisons.map(({ name, summary }) => `${name.padEnd(10)} ${summary}`), '', usage].join('\n'))
    return 0
  }
  requireContenders(effort.only)
  for (const { name, missing } of findSharedStores()) {
    if (missing !== undefined) log(`${name} is skipped: ${missing}`)
  }
  // A signal ends the run after the current measurement, so that the comparisons can drop their
  // databases.
  const signal = listenForEnd(() => log('ending after this measurement …'))
  const programs = await bundleAll()
  const machine = { node: process.versions.node, cores: availableParallelism(), processor: cpus()[0]?.model }
  const date = new Date().toISOString().slice(0, 10)
  const recorded: Record<string, readonly object[]> = {}
  for (const { name, summary, run } of chosen) {
    const tables = await run({ programs, effort: { ...effort, signal }, log })
    recorded[name] = tables.flatMap(({ records = [] }) => records)
    if (effort.isSmoke) print(`${name} works`)
    else print([`\n## ${summary}`, ...tables.map(toMarkdown)].join('\n\n'))
  }
  if (json !== undefined) {
    const command = ['npm run bench --', ...process.argv.slice(2)].join(' ')
    const earlier: readonly object[] = existsSync(json) ? JSON.parse(await readFile(json, 'utf8')) : []
    const runs = [...earlier, { command, date, machine, ...recorded }]
    await writeFile(json, `[\n${runs.map(toLine).join(',\n')}\n]\n`)
  }
  print(`\nNode ${machine.node}, ${machine.cores} cores, ${date}`)
  return 0
}

try {
  process.exit(await main())
} catch (failure) {
  log(inspect(failure))
  process.exit(1)
}
