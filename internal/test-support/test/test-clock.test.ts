import { describe, expect, it } from 'vitest'
import { createTestClock } from '../src/test-clock.js'

describe('a test clock', () => {
  it('moves by milliseconds and by seconds, and fires no timer', () => {
    const clock = createTestClock(0)
    clock.startTimer(1, expect.unreachable)
    clock.advanceMs(500)
    clock.advanceSeconds(1.2504)
    expect([clock.now(), clock.timers()]).toEqual([1_750, [1]])
  })

  it('fires the timers of one delay, except for those that were stopped', () => {
    const clock = createTestClock()
    const fired: string[] = []
    clock.startTimer(5, () => fired.push('first'))
    clock.startTimer(5, () => fired.push('stopped'))()
    clock.startTimer(7, () => fired.push('other'))
    clock.fireTimers(5)
    expect([fired, clock.timers()]).toEqual([['first'], [7]])
  })

  it('runs from timer to timer, and fires the timers that those start', async () => {
    const clock = createTestClock(0)
    const fired: number[] = []
    clock.startTimer(20, () => fired.push(clock.now()))
    clock.startTimer(10, () => void Promise.resolve().then(() => clock.startTimer(5, () => fired.push(clock.now()))))
    await clock.runFor(30)
    expect([fired, clock.now()]).toEqual([[15, 20], 30])
  })
})
