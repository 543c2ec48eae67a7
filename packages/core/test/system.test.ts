import { describe, expect, it } from 'vitest'
import { machineSystem } from '../src/system.js'

describe("the machine's own system", () => {
  it('tells the time in milliseconds since 1970', () => {
    const before = Date.now()
    const now = machineSystem.now()
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
  })

  it('draws as many bytes as are asked for, and never the same', () => {
    const draws = Array.from({ length: 50 }, () => machineSystem.randomBytes(16))
    expect(draws.map(({ length }) => length)).toEqual(draws.map(() => 16))
    expect(new Set(draws.map((bytes) => bytes.toString('hex'))).size).toBe(50)
  })

  // Timers of one length fire in the order in which they were started.
  it('calls back once, and not when the timer was stopped before', async () => {
    const called: string[] = []
    const stop = machineSystem.startTimer(1, () => called.push('stopped'))
    machineSystem.startTimer(1, () => called.push('first'))
    stop()
    await new Promise<void>((resolve) => {
      machineSystem.startTimer(1, resolve)
    })
    expect(called).toEqual(['first'])
  })
})
