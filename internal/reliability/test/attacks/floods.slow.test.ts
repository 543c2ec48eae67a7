import { readMeasurements } from '@jwt-auth/test-support'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type FloodResult,
  floods,
  hashMs,
  inTime,
  p95Of,
  type SimulatedRow,
  simulateFlood,
  simulateFloods,
  toFloodTable,
} from '../../src/attacks/floods.js'

describe('the simulated floods', () => {
  let rows: readonly SimulatedRow[]
  beforeAll(async () => {
    rows = await simulateFloods()
  })

  const resultOf = (name: string): FloodResult =>
    rows.find(({ flood, queue }) => flood === name && queue === 'jwt-auth')?.result ?? expect.unreachable()

  it('lead to the table of the published measurements', async () => {
    expect(await readMeasurements('Floods')).toContain(`${toFloodTable(rows)}\n`)
  })

  it.each(floods.map(({ name }) => name))(
    'delay no login of an owner on a known network by more than three hashes: %s',
    (name) => {
      const { owner } = resultOf(name)
      expect(owner.tookMs).toHaveLength(owner.attempts)
      expect(p95Of(owner)).toBeLessThanOrEqual(3 * hashMs)
    },
  )

  it.each(floods.slice(0, 2).map(({ name }) => name))(
    'delay no login of a newcomer on a new network by more than ten seconds: %s',
    (name) => {
      const { newcomers } = resultOf(name)
      expect(newcomers.attempts).toBeGreaterThan(10)
      expect(inTime(newcomers)).toBe(newcomers.attempts)
    },
  )
})

describe('a simulated minute without a flood', () => {
  it('delays no login', async () => {
    const { owner, newcomers } = await simulateFlood({ flood: async () => {} })
    // Some logins of the owner and a newcomer meet.
    expect([owner.tookMs[0], newcomers.tookMs[0]]).toEqual([hashMs, hashMs])
    expect(owner.tookMs).toHaveLength(owner.attempts)
    expect(newcomers.tookMs).toHaveLength(newcomers.attempts)
  })
})
