import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Calibration, calibrateStore, repeat, type Store } from '../src/capacity/calibration.js'
import { planCapacity, toUsualLoad } from '../src/capacity/plan.js'
import type { Costs } from '../src/capacity/simulation.js'
import type { InstancesRecord } from '../src/comparisons/instances.js'

const calibrations = new Map<Store, Calibration>()
const calibrated = (store: Store): Calibration => {
  const calibration = calibrations.get(store)
  if (calibration === undefined) throw new Error(`${store} is not calibrated.`)
  return calibration
}

/** The recorded rate of guarded requests that leaves the machine time for more. */
const ratePerSecond = 1_000

/** Returns the predictions more than 15% outside of the recorded rounds. */
const findMisses = (store: Store, change: (costs: Costs) => Costs = (costs) => costs): readonly string[] => {
  const { costs, rounds } = calibrated(store)
  const recorded = rounds.filter(([first]) => first?.visit === 'request' && first.ratePerSecond === ratePerSecond)
  return recorded.flatMap((records) => {
    const [first] = records
    if (first === undefined) return []
    const { application, batch, p99Ms } = repeat(change(costs.request), first)
    const miss = (name: 'applicationCpuMs' | 'batch' | 'p99Ms', predicted: number): readonly string[] => {
      const values = records.map((record: InstancesRecord) => record[name])
      const isNear = predicted >= 0.85 * Math.min(...values) && predicted <= 1.15 * Math.max(...values)
      return isNear ? [] : [`${first.instances} processes: ${name} ${predicted}, recorded ${values.join(' and ')}`]
    }
    // The calibration uses CPU and latency of 1 and 2 processes, and no batches.
    const others =
      first.instances > 2 ? [...miss('applicationCpuMs', application.cpuMicros), ...miss('p99Ms', p99Ms)] : []
    return [...miss('batch', batch), ...others]
  })
}

const stores = ['postgres', 'redis'] as const

beforeAll(async () => {
  for (const store of stores) calibrations.set(store, await calibrateStore(store))
}, 120_000)

describe.each(stores)('the capacity model on %s', (store) => {
  it('predicts CPU, batches and p99 of 4 and 8 processes from 1 and 2', () => {
    expect(findMisses(store)).toEqual([])
  })

  it.each<[string, (costs: Costs) => Costs]>([
    ['sends each lookup separately', (costs) => ({ ...costs, isBatched: false })],
    ['ignores cold caches', (costs) => ({ ...costs, application: { ...costs.application, cold: 0 } })],
    ['ignores garbage collection', (costs) => ({ ...costs, stall: 0 })],
  ])('misses when it %s', (_, change) => {
    expect(findMisses(store, change)).not.toEqual([])
  })

  it('plans the same for the same seed', () => {
    const load = toUsualLoad(50_000, 20e6)
    const plan = planCapacity(store, calibrated(store), load, 1)
    expect(planCapacity(store, calibrated(store), load, 1)).toEqual(plan)
    expect(planCapacity(store, calibrated(store), load, 2).figures).not.toEqual(plan.figures)
  })
})

describe('a plan', () => {
  it.each([
    ['postgres', 'connections'],
    ['redis', 'database cores'],
  ] as const)('names what saturates first on %s: %s', (store, name) => {
    expect(planCapacity(store, calibrated(store), toUsualLoad(50_000, 20e6), 1).saturatesFirst.name).toBe(name)
  })
})

describe('npm run capacity', () => {
  const file = fileURLToPath(new URL('../src/capacity/main.ts', import.meta.url))
  const run = (...args: readonly string[]) => {
    const flags = ['--conditions=@jwt-auth/source', '--import', 'tsx', file]
    const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, ...args], { encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  it.each([
    [['--requests', '10'], '--sessions is missing. --help lists the options.\n'],
    [
      ['--requests', 'many', '--sessions', '1'],
      '--requests must be a number above 0, such as 50000 or 20e6, but is many.\n',
    ],
    [
      ['--requests', '10', '--sessions', '10', '--store', 'mongo'],
      '--store must be sqlite, postgres, mariadb, redis or redis-cluster, but is mongo.\n',
    ],
  ])('refuses %j', (args, stderr) => {
    expect(run(...args)).toEqual({ status: 1, stdout: '', stderr })
  })
})
