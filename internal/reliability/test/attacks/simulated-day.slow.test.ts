import { readMeasurements } from '@jwt-auth/test-support'
import { describe, expect, it } from 'vitest'
import { createPlainDefence, simulateDay, simulateGuesses } from '../../src/attacks/guesses.js'

describe('the simulated day', () => {
  it('leads to the table of the published measurements', async () => {
    expect(await readMeasurements('Guessing at one account')).toContain(`${await simulateGuesses()}\n`)
  })

  it('has a guess per second, and all logins of the victim succeed, without a limit', async () => {
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

  it('has an attacker that waits exactly as long as requested', async () => {
    const onePerHour = createPlainDefence(({ address }) => address, { points: 1, durationSeconds: 3_600 })
    expect(await simulateDay(onePerHour, ['10.0.0.1', '10.0.0.2'])).toMatchObject({ guesses: 48 })
  })
})
