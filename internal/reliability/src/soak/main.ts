/**
 * The long forms of the tests: `npm run soak -- --minutes 20`. Exits with 1 when a promise was
 * broken. Ctrl-C ends the run with the summary so far. A second Ctrl-C ends it immediately.
 */
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { describeMissing, listenForEnd, writeMeasurements } from '@jwt-auth/test-support'
import { prepareInstances } from '../cluster/instance/start-instance.js'
import { runSoak } from './run-soak.js'
import { scenarios } from './scenarios.js'

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const names = scenarios.map(({ name }) => name)
const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '20' },
    // Determines the random choices, but not the order in which concurrent events happen.
    seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
    only: { type: 'string', multiple: true, default: names },
    write: { type: 'boolean', default: false },
  },
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
const { help, only } = values
const areNumbers = [minutes, seed].every((number) => Number.isFinite(number) && number >= 0)
if (help || !areNumbers || !only.every((name) => names.includes(name))) {
  print(`npm run soak -- [--minutes N] [--seed N] [--only NAME …] [--write]\nScenarios: ${names.join(', ')}`)
  process.exit(help ? 0 : 1)
}
for (const line of await describeMissing()) print(line)
await prepareInstances()
const { violations, lines } = await runSoak({
  minutes,
  seed,
  scenarios: scenarios.filter(({ name }) => only.includes(name)),
  signal: listenForEnd(() => print('ending after this round …')),
  print,
  now: () => performance.now(),
})
if (values.write) {
  const command = ['npm run soak --', ...process.argv.slice(2).filter((word) => word !== '--write')].join(' ')
  const title = only.length === names.length ? 'Soak' : `Soak of ${only.join(', ')}`
  await writeMeasurements(command, title, lines.map((line) => `- ${line}`).join('\n'))
}
process.exit(violations === 0 ? 0 : 1)
