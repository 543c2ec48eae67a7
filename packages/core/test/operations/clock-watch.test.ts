import { describe, expect, it } from 'vitest'
import { ann } from '../support/test-directory.js'
import { createTestService } from '../support/test-service.js'
import { startOfTests } from '../support/test-system.js'

/** A session that an instance wrote whose clock is ahead by so many milliseconds, and a function that refreshes it here. */
const createSkewed = async (aheadMs: number) => {
  const made = createTestService()
  const { service, system, events } = made
  const login = () => service.authenticate({ username: ann.nicename, password: ann.password }, {})
  system.advance(aheadMs)
  const sessions = [await login(), await login(), await login()]
  system.advance(-aheadMs)
  const refresh = async (place: number) => service.refresh(sessions[place]?.refreshToken ?? expect.unreachable())
  return { refresh, system, skews: () => events.filter(({ type }) => type === 'clock_skew') }
}

describe('a refresh of a session that another instance wrote in the future', () => {
  it('announces how far its clock is ahead', async () => {
    const { refresh, skews } = await createSkewed(5_001)
    await refresh(0)
    expect(skews()).toEqual([{ type: 'clock_skew', aheadMs: 5_001, at: new Date(startOfTests) }])
  })

  it('announces nothing up to five seconds', async () => {
    const { refresh, skews } = await createSkewed(5_000)
    await refresh(0)
    expect(skews()).toEqual([])
  })

  it.each([
    ['a minute later', 60_000],
    ['after the clock was set back', -60_000],
  ])('announces the next one %s, and none before', async (_, laterMs) => {
    const { refresh, system, skews } = await createSkewed(1_000_000)
    await refresh(0)
    system.advance(59_999)
    await refresh(1)
    expect(skews()).toHaveLength(1)
    system.advance(laterMs - 59_999)
    await refresh(2)
    expect(skews()).toHaveLength(2)
  })
})
