import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../src/scenario.js'
import { runPlanted } from '../../src/soak/run-planted.js'

const signal = new AbortController().signal

/** Runs trials of one minute per defect. Time passes only in the scenario: half a minute per turn. */
const tryPlanted = async (run: (context: Parameters<Scenario['run']>[0]) => void) => {
  let now = 0
  const printed: string[] = []
  const scenario: Scenario = {
    name: 'one',
    run: async (context) => {
      now += 30_000
      run(context)
    },
  }
  const missed = await runPlanted(
    { minutes: 11, seed: 1, only: ['one'], isPlanted: true },
    {
      groups: [{ name: 'a group', scenarios: [scenario] }],
      signal,
      print: (text) => printed.push(text),
      now: () => now,
    },
  )
  return { missed, table: printed.at(-1)?.trim().split('\n') ?? [] }
}

describe('a soak against planted defects', () => {
  it('prints for each defect the time to the first violation, or that none was found in time', async () => {
    const { missed, table } = await tryPlanted(({ defect, report }) => {
      if (defect === 'blind-swap') report({ store: 'Redis', violations: ['one', 'two'] })
      if (defect === 'early-swap') throw new Error('the scenario failed')
    })

    expect(missed).toBe(9)
    expect(table.slice(0, 3)).toEqual(['| Planted defect | a group |', '|---|---|', '| caches-lookups | no |'])
    expect(table.filter((row) => !row.endsWith('| no |')).slice(2)).toEqual([
      '| blind-swap | 30.0 s |',
      '| early-swap | 30.0 s |',
    ])
  })
})
