import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { floods } from '../../src/attacks/floods.js'
import { createPlainDefence } from '../../src/attacks/plain-defence.js'
import { simulateDay } from '../../src/attacks/simulate-day.js'
import { simulateFlood } from '../../src/attacks/simulate-flood.js'
import { hashMs } from '../../src/attacks/simulated-logins.js'
import { inTime, p95Of, writeFloodTable } from '../../src/attacks/write-flood-table.js'
import { writeTable } from '../../src/attacks/write-table.js'

const readDocument = (): Promise<string> =>
  readFile(new URL('../../../../docs/security/brute-force.md', import.meta.url), 'utf8')

describe('the simulated day', () => {
  it('is the table in docs/security/brute-force.md, figure for figure', async () => {
    expect(await readDocument()).toContain(`${await writeTable()}\n`)
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

describe('the simulated floods', () => {
  it('are the table in docs/security/brute-force.md, figure for figure', async () => {
    expect(await readDocument()).toContain(`${await writeFloodTable()}\n`)
  })

  it.each(floods.map((one) => [one.name, one] as const))(
    'let the owner in on a known network every time, within three hashes: %s',
    async (_, flood) => {
      const { owner } = await simulateFlood(flood, 'jwt-auth')
      expect(owner.tookMs).toHaveLength(owner.attempts)
      expect(p95Of(owner)).toBeLessThanOrEqual(3 * hashMs)
    },
  )

  it.each(floods.slice(0, 2).map((one) => [one.name, one] as const))(
    'let every newcomer from a quiet network in within ten seconds: %s',
    async (_, flood) => {
      const { newcomers } = await simulateFlood(flood, 'jwt-auth')
      expect(newcomers.attempts).toBeGreaterThan(10)
      expect(inTime(newcomers)).toBe(newcomers.attempts)
    },
  )

  it('log both in immediately without a flood', async () => {
    const { owner, newcomers } = await simulateFlood({ flood: async () => {} }, 'jwt-auth')
    // The owner and a newcomer meet at times.
    expect([owner.tookMs[0], newcomers.tookMs[0]]).toEqual([hashMs, hashMs])
    expect(owner.tookMs).toHaveLength(owner.attempts)
    expect(newcomers.tookMs).toHaveLength(newcomers.attempts)
  })
})
