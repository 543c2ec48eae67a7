import { describe, expect, it } from 'vitest'
import { runSoak, type Scenario } from '../../src/soak/run-soak.js'

/** Runs a soak of one minute. Time passes only when a scenario calls `take`. */
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
  const { violations } = await runSoak({
    minutes: 1,
    seed: 5,
    scenarios,
    signal: controller.signal,
    print: (text) => printed.push(text),
    now: () => now,
  })
  return { violations, printed }
}

describe('a soak', () => {
  it('runs scenarios in turns until the time has passed, and prints the totals of each on each store', async () => {
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
          report({ store: 'SQLite', faults: 1, losses: 2, refusals: 1, recoveryMs: 312.4 })
          report({ store: 'SQLite', faults: 1, recoveryMs: 45 })
        },
      },
    ])
    expect(violations).toBe(0)
    expect(printed).toEqual([
      'seed 5, 1 minutes: one, two',
      [
        '',
        'after 60 seconds, seed 5',
        'one on SQLite: rounds 3,000, operations 60, faults 0, losses 0, refusals 0, violations 0, slowestRecoveryMs 0',
        'one on Redis: rounds 3, operations 0, faults 0, losses 0, refusals 0, violations 0, slowestRecoveryMs 0',
        'two on SQLite: rounds 0, operations 0, faults 6, losses 6, refusals 3, violations 0, slowestRecoveryMs 312',
        'all: rounds 3,003, operations 60, faults 6, losses 6, refusals 3, violations 0, slowestRecoveryMs 312',
      ].join('\n'),
    ])
  })
})

describe('a soak with violations', () => {
  it('prints each violation immediately, and continues', async () => {
    const { violations, printed } = await soak((take) => [
      {
        name: 'broken',
        run: async ({ report }) => {
          take(30_000)
          report({ store: 'Redis', rounds: 1, violations: ['no two sessions share a token: r1 was returned twice'] })
        },
      },
    ])
    expect(violations).toBe(2)
    expect(printed[1]).toBe('VIOLATION in broken on Redis: no two sessions share a token: r1 was returned twice')
    expect(printed[2]).toBe(printed[1])
  })

  it('counts a scenario that rejects as a violation', async () => {
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
})

describe('the run of a soak', () => {
  it('prints the summary so far when it ends early', async () => {
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
    expect(printed[1]).toContain('ended early after 5 seconds, seed 5')
  })

  it('makes the same random choices for the same seed, and other choices in each turn', async () => {
    const choose = async () => {
      const chosen: number[] = []
      await soak((take) => [
        {
          name: 'one',
          run: async ({ random }) => {
            take(20_000)
            chosen.push(random.between(0, 1_000_000))
          },
        },
      ])
      return chosen
    }
    const chosen = await choose()
    expect(new Set(chosen).size).toBe(3)
    expect(await choose()).toEqual(chosen)
  })
})
