/** Compares the project with other libraries. `npm run bench` lists the comparisons. */
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { describeMissing, listenForEnd } from '@jwt-auth/test-support'
import { type CommandLine, parseCommandLine, usage } from './command-line.js'
import type { Comparison } from './comparison.js'
import { comparisons } from './comparisons.js'
import { bundleAll, type Programs } from './processes/programs.js'
import { putSection, toSection } from './report/section.js'

const report = new URL('../../../docs/performance.md', import.meta.url)

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const log = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

const parseArguments = (): CommandLine | undefined => {
  try {
    const names = comparisons.map(({ name }) => name)
    return parseCommandLine(process.argv.slice(2), names)
  } catch (failure) {
    print(`${failure instanceof Error ? failure.message : String(failure)}\n${usage}`)
    return undefined
  }
}

const run = async (
  comparison: Comparison,
  { programs, signal }: { readonly programs: Programs; readonly signal: AbortSignal },
  { effort, writes }: CommandLine,
): Promise<void> => {
  const findings = await comparison.run({ programs, effort: { ...effort, signal }, log })
  const section = toSection(comparison, findings, {
    command: ['npm run bench --', ...process.argv.slice(2).filter((arg) => arg !== '--write')].join(' '),
    rounds: effort.rounds,
    nodeVersion: process.versions.node,
    cores: availableParallelism(),
    date: new Date(),
  })
  if (effort.isSmoke) return print(`${comparison.name} works`)
  print(`\n## ${comparison.name}\n\n${section}`)
  if (writes) await writeFile(report, putSection(await readFile(report, 'utf8'), comparison.name, section))
}

const main = async (): Promise<number> => {
  const commandLine = parseArguments()
  if (commandLine === undefined) return 1
  const chosen = comparisons.filter(({ name }) => commandLine.names.includes(name))
  if (chosen.length === 0) {
    print([...comparisons.map(({ name, summary }) => `${name.padEnd(10)} ${summary}`), '', usage].join('\n'))
    return 0
  }
  for (const line of await describeMissing()) log(line)
  // A signal ends the run after the current measurement, so that the comparisons can drop their databases.
  const signal = listenForEnd(() => log('ending after this measurement …'))
  const programs = await bundleAll()
  programs.requireKnown(commandLine.effort.only)
  for (const comparison of chosen) await run(comparison, { programs, signal }, commandLine)
  return 0
}

try {
  process.exit(await main())
} catch (failure) {
  log(failure instanceof Error ? String(failure.stack) : String(failure))
  process.exit(1)
}
