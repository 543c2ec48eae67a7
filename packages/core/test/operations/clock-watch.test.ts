import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { TokenServiceOptions } from '../../src/index.js'

/** Creates sessions with an instance whose clock is ahead, and returns a function that refreshes them with another instance. */
const createSkewed = async (aheadMs: number, options: Partial<TokenServiceOptions> = {}) => {
  const { service, system, events, errors } = createTestService(options)
  const login = () => service.login({ username: ann.nicename, password: ann.password }, {})
  system.advance(aheadMs)
  const sessions = [await login(), await login(), await login()]
  system.advance(-aheadMs)
  const refresh = async (place: number) => service.refresh(sessions[place]?.refreshToken ?? expect.unreachable())
  return { refresh, system, errors, skews: () => events.filter(({ type }) => type === 'clock_skew') }
}

describe('a refresh of a session whose times are in the future', () => {
  it('announces and reports the difference of the clocks', async () => {
    const { refresh, skews, errors } = await createSkewed(5_001)
    await refresh(0)
    const values = 'is "2026-01-01T00:00:05.001Z", but the clock of this instance is "2026-01-01T00:00:00.000Z"'
    const message = expect.stringContaining(`the last write of a session ${values}`)
    expect(errors).toMatchObject([{ cause: { message } }])
    expect(skews()).toEqual([{ type: 'clock_skew', aheadMs: 5_001, at: new Date(startOfTests) }])
  })

  it.each([
    ['five seconds', 5_000, 0],
    ['the tolerance', 60_000, 60],
  ])('announces no difference of up to %s', async (_, aheadMs, clockToleranceSeconds) => {
    const { refresh, skews, errors } = await createSkewed(aheadMs, { clockToleranceSeconds })
    await refresh(0)
    expect([...skews(), ...errors]).toEqual([])
  })

  it('announces the next difference a minute later, and none before', async () => {
    const { refresh, system, skews } = await createSkewed(1_000_000)
    await refresh(0)
    system.advance(59_999)
    await refresh(1)
    expect(skews()).toHaveLength(1)
    system.advance(1)
    await refresh(2)
    expect(skews()).toHaveLength(2)
  })
})
