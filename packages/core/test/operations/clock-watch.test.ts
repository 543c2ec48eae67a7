import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'

/** Creates sessions with an instance whose clock is ahead, and returns a function that refreshes them with another instance. */
const createSkewed = async (aheadMs: number) => {
  const made = createTestService()
  const { service, system, events } = made
  const login = () => service.login({ username: ann.nicename, password: ann.password }, {})
  system.advance(aheadMs)
  const sessions = [await login(), await login(), await login()]
  system.advance(-aheadMs)
  const refresh = async (place: number) => service.refresh(sessions[place]?.refreshToken ?? expect.unreachable())
  return { refresh, system, skews: () => events.filter(({ type }) => type === 'clock_skew') }
}

describe('a refresh of a session whose times are in the future', () => {
  it('announces the difference of the clocks', async () => {
    const { refresh, skews } = await createSkewed(5_001)
    await refresh(0)
    expect(skews()).toEqual([{ type: 'clock_skew', aheadMs: 5_001, at: new Date(startOfTests) }])
  })

  it('announces no difference of up to five seconds', async () => {
    const { refresh, skews } = await createSkewed(5_000)
    await refresh(0)
    expect(skews()).toEqual([])
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
