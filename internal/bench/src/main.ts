/** Compares the project with other libraries. `npm run bench` lists the comparisons. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundlePrograms, listenForEnd, startRemoteProgram, writeMeasurements } from '@jwt-auth/test-support'
import { toMarkdown } from './comparison.js'
import { guard } from './comparisons/guard.js'
import { importCost } from './comparisons/import.js'
import { instances } from './comparisons/instances.js'
import { journey } from './comparisons/journey.js'
import { login, refresh } from './comparisons/operations.js'
import { overload } from './comparisons/overload.js'
import { sessions } from './comparisons/sessions.js'
import type { BenchProcess } from './process.js'
import { findStores } from './stores.js'

const comparisons = [guard, login, refresh, journey, importCost, instances, overload, sessions]
const known = comparisons.map(({ name }) => name)

const usage = `npm run bench -- NAME … [--rounds N] [--seconds N] [--only CONTENDER,…] [--write]
npm run bench -- --smoke   runs all of them, as briefly as possible, to check that they work
The comparisons are ${known.join(', ')}. --write replaces their sections of docs/reference/measurements.md.
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const isSmoke = values.smoke
const [rounds, seconds] = isSmoke ? [1, 0.1] : [Number(values.rounds), Number(values.seconds)]
const names = isSmoke && positionals.length === 0 ? known : positionals
if (names.length === 0 || !names.every((name) => known.includes(name)) || !(rounds > 0 && seconds > 0)) {
  process.stdout.write(usage)
  process.exit(positionals.length === 0 ? 0 : 1)
}

const log = (line: string): void => {
  process.stderr.write(`${line}\n`)
}
for (const { name, missing } of findStores()) if (missing !== undefined) log(`${name} is skipped: ${missing}`)
// A signal ends the run after the current measurement, so that the comparisons can stop their
// databases.
const signal = listenForEnd(() => log('ending after this measurement …'))
const effort = { isSmoke, rounds, seconds, signal, only: values.only.split(',').filter(Boolean) }
// Contenders load their packages in installed form, from `node_modules`.
const folder = fileURLToPath(new URL('../', import.meta.url))
const program = join(await bundlePrograms({ folder, entries: ['process.ts'], isWhole: false }), 'process.mjs')
const start = () => startRemoteProgram<BenchProcess>([program])
for (const { name, summary, run } of comparisons.filter(({ name }) => names.includes(name))) {
  const tables = await run({ start, effort, log })
  const text = tables.map(toMarkdown).join('\n\n')
  process.stdout.write(isSmoke ? `${name} works\n` : `\n## ${summary}\n\n${text}\n`)
  const command = `npm run bench -- ${name} --rounds ${rounds} --seconds ${seconds}`
  if (values.write) await writeMeasurements(command, summary, text)
}
process.exit()
