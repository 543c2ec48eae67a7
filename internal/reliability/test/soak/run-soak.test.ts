import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../src/scenario.js'
import { runSoak } from '../../src/soak/run-soak.js'

/** Runs a soak of one minute in which time passes only where a scenario takes it. */
const soak = async (createScenarios: (take: (ms: number) => void, abort: () => void) => readonly Scenario[]) => {
  let now = 1_000
  const printed: string[] = []
  const controller = new AbortController()
  const scenarios = createScenarios(
    (ms) => {
      now += ms
    },
    () => controller.abort(),
  )
  const violations = await runSoak(
    { minutes: 1, seed: 5, only: scenarios.map(({ name }) => name), isPlanted: false },
    { scenarios, signal: controller.signal, print: (text) => printed.push(text), now: () => now },
  )
  return { violations, printed }
}

describe('a soak', () => {
  it('takes turns until the time is over and sums up what each did on each store', async () => {
    const { violations, printed } = await soak((take) => [
      {
        name: 'one',
        run: async ({ report }) => {
          take(10_000)
          report({ store: 'SQLite', rounds: 1_000, operations: 20 })
          report({ store: 'Redis', rounds: 1 })
        },
      },
      {
        name: 'two',
        run: async ({ report }) => {
          take(10_000)
          report({ store: 'SQLite', faults: 1, recoveryMs: 312.4 })
          report({ store: 'SQLite', faults: 1, recoveryMs: 45 })
        },
      },
    ])
    expect(violations).toBe(0)
    expect(printed).toEqual([
      'seed 5, 1 minutes: one, two',
      [
        '',
        'after 1:00, seed 5',
        'scenario  store   rounds  operations  faults  violations  slowest recovery',
        'one       SQLite   3,000          60       0           0',
        'one       Redis        3           0       0           0',
        'two       SQLite       0           0       6           0            312 ms',
        'all                3,003          60       6           0            312 ms',
      ].join('\n'),
    ])
  })

  it('prints each violation where it is found, and goes on', async () => {
    const { violations, printed } = await soak((take) => [
      {
        name: 'broken',
        run: async ({ report }) => {
          take(30_000)
          report({ store: 'Redis', rounds: 1, violations: ['tokens are not shared: r1 was given twice'] })
        },
      },
    ])
    expect(violations).toBe(2)
    expect(printed[1]).toBe('VIOLATION in broken on Redis: tokens are not shared: r1 was given twice')
    expect(printed[2]).toBe(printed[1])
  })

  it('counts a scenario that fails as a violation', async () => {
    const { violations, printed } = await soak((take) => [
      {
        name: 'failing',
        run: async () => {
          take(60_000)
          throw new Error('no server')
        },
      },
    ])
    expect(violations).toBe(1)
    expect(printed[1]).toContain('VIOLATION in failing on none: Error: no server')
  })

  it('ends early with the summary so far', async () => {
    const { printed } = await soak((take, abort) => [
      {
        name: 'one',
        run: async ({ report }) => {
          take(5_000)
          report({ store: 'SQLite', rounds: 1 })
          abort()
        },
      },
    ])
    expect(printed).toHaveLength(2)
    expect(printed[1]).toContain('ended early after 0:05, seed 5')
  })

  it('gives the same seed the same chance, and each turn chance of its own', async () => {
    const draw = async () => {
      const drawn: number[] = []
      await soak((take) => [
        {
          name: 'one',
          run: async ({ random }) => {
            take(20_000)
            drawn.push(random.between(0, 1_000_000))
          },
        },
      ])
      return drawn
    }
    const drawn = await draw()
    expect(new Set(drawn).size).toBe(3)
    expect(await draw()).toEqual(drawn)
  })
})
