import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createPlainDefence } from '../src/plain-defence.js'
import { simulateDay } from '../src/simulate-day.js'
import { writeTable } from '../src/write-table.js'

describe('the simulated day', () => {
  it('is the table in docs/security/brute-force.md, figure for figure', async () => {
    const document = await readFile(new URL('../../../docs/security/brute-force.md', import.meta.url), 'utf8')
    expect(document).toContain(`${await writeTable()}\n`)
  })

  it('lets the victim in all day, and counts a guess in each second, where nothing is limited', async () => {
    const unlimited = createPlainDefence(({ address }) => address, {
      points: Number.POSITIVE_INFINITY,
      durationSeconds: 1,
    })
    expect(await simulateDay(unlimited, ['10.0.0.1'])).toEqual({
      guesses: 86_400,
      fromKnownNetwork: 24,
      fromNewNetwork: 24,
    })
  })

  it('has the attacker come back exactly when told to', async () => {
    const onePerHour = createPlainDefence(({ address }) => address, { points: 1, durationSeconds: 3_600 })
    expect(await simulateDay(onePerHour, ['10.0.0.1', '10.0.0.2'])).toMatchObject({ guesses: 48 })
  })
})
