import { describe, expect, it } from 'vitest'
import { machineSystem } from '../src/system.js'

describe('machineSystem', () => {
  it('returns the time in milliseconds since 1970', () => {
    const before = Date.now()
    const now = machineSystem.now()
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
  })

  it('generates the requested number of random bytes, different each time', () => {
    const generated = Array.from({ length: 50 }, () => machineSystem.randomBytes(16))
    expect(generated.map(({ length }) => length)).toEqual(generated.map(() => 16))
    expect(new Set(generated.map((bytes) => bytes.toString('hex'))).size).toBe(50)
  })

  // Timers of the same delay fire in the order in which they were started.
  it('calls the callback of a timer once, and never after the timer was stopped', async () => {
    const called: string[] = []
    const stop = machineSystem.startTimer(1, () => called.push('stopped'))
    machineSystem.startTimer(1, () => {
      called.push('first')
      stopDue()
    })
    const stopDue = machineSystem.startTimer(1, () => called.push('stopped when due'))
    stop()
    await new Promise<void>((resolve) => {
      machineSystem.startTimer(1, resolve)
    })
    expect(called).toEqual(['first'])
  })
})
