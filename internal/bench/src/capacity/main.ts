/** Plans the set-up for a load. `npm run capacity -- --help` lists the options. */
import { parseArgs } from 'node:util'
import { toText } from '../table.js'
import { calibrateStore, type Store, stores } from './calibration.js'
import { type Plan, planCapacity, toUsualLoad } from './plan.js'
import { writePlot } from './plot.js'

const names = Object.keys(stores)
  .join(', ')
  .replace(/, (?!.*,)/, ' or ')
const usage = `npm run capacity -- --requests N --sessions N --store STORE [--refreshes N] [--logins N] [--seed N]
npm run capacity -- --plot FOLDER   writes the plot of docs/scaling.md

--requests    guarded requests per second
--sessions    sessions in the store
--store       ${names}
--refreshes   per second. Default: each visitor sends a request every 10 seconds, and refreshes once an hour
--logins      per second. Default: each session lasts 30 days
--seed        of the simulation. Default: 1`

const text = { type: 'string' } as const
const options = { requests: text, sessions: text, store: text, refreshes: text, logins: text, seed: text, plot: text }

const main = async (): Promise<string> => {
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } })
  if (values.help) return usage
  if (values.plot !== undefined) return writePlot(values.plot)
  const request = toNumber('requests', values.requests, 'a number of at least 0.001')
  const sessions = toNumber('sessions', values.sessions, 'a whole number above 0')
  const store = Object.keys(stores).find((name): name is Store => name === values.store)
  if (store === undefined) throw new TypeError(`--store must be ${names}, but is ${values.store ?? 'missing'}.`)
  const usual = toUsualLoad(request, sessions)
  const refresh = toNumber('refreshes', values.refreshes ?? String(usual.refresh), 'a number of at least 0')
  const login = toNumber('logins', values.logins ?? String(usual.login), 'a number of at least 0')
  const load = { request, sessions, refresh, login }
  const seed = toNumber('seed', values.seed ?? '1', 'a whole number above 0')
  process.stderr.write('simulating for about 10 seconds …\n')
  const plan = planCapacity(store, await calibrateStore(store), load, seed)
  return `${toText(request)} requests, ${toText(refresh)} refreshes and ${toText(login)} logins per second,
${toText(sessions)} sessions in ${store}:\n\n${describe(plan)}`
}

const ranges = {
  'a number of at least 0.001': (value: number): boolean => value >= 0.001,
  'a number of at least 0': (value: number): boolean => value >= 0,
  'a whole number above 0': (value: number): boolean => value > 0 && Number.isInteger(value),
}

const toNumber = (name: string, given: string | undefined, range: keyof typeof ranges): number => {
  if (given === undefined) throw new TypeError(`--${name} is missing. --help lists the options.`)
  const value = given === '' ? Number.NaN : Number(given)
  if (value <= 1e12 && ranges[range](value)) return value
  throw new TypeError(`--${name} must be ${range}, at most 1e12, such as 50000 or 20e6, but is ${given}.`)
}

const describe = ({ resources, saturatesFirst, figures, lookupMicros }: Plan): string => {
  const lines = resources.map(({ name, needed, unit, limit }) => {
    const used = Number.isFinite(limit) ? `${Math.ceil((100 * needed) / limit)}% of ${toText(limit)}` : ''
    return `${name.padEnd(26)}${toText(needed).padStart(9)} ${unit.padEnd(6)}${used}`.trimEnd()
  })
  // The calibration cannot tell the call from the operation when each operation has one call.
  const call = figures.batch > 1 ? `, ${toText(lookupMicros)} µs of it to call the database` : ''
  return `${lines.join('\n')}
CPU in an instance        ${toText(figures.application.cpuMicros).padStart(9)} µs for each operation${call}
CPU in the database       ${toText(figures.database.cpuMicros).padStart(9)} µs for each operation
lookups in a batch        ${toText(figures.batch).padStart(9)}
p50 and p99               ${`${toText(figures.p50Ms)}, ${toText(figures.p99Ms)}`.padStart(9)} ms

saturates first: ${saturatesFirst.name}, at ${toText(saturatesFirst.requests)} requests per second`
}

try {
  process.stdout.write(`${await main()}\n`)
} catch (failure) {
  process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}
