import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { Device, TokenServiceOptions } from '../../src/index.js'
import { createReuseCounter } from '../../src/operations/refresh-watch.js'

const laptop = { userAgent: 'Firefox', ipAddress: '192.0.2.1' }
const phone = { userAgent: 'Safari', ipAddress: '198.51.100.7' }

/** Creates a session of a laptop whose first refresh token was replaced by a refresh from the same laptop. */
const createReplaced = async (options: Partial<TokenServiceOptions> = {}) => {
  const made = createTestService(options)
  const credentials = { username: ann.nicename, password: ann.password }
  const { refreshToken, sessionId } = await made.service.login(credentials, { device: laptop })
  const { refreshToken: current } = await made.service.refresh(refreshToken, { device: laptop })
  const repeat = (device: Device = laptop) => made.service.refresh(refreshToken, { device })
  const findSession = async () => (await made.storage.findByIds([sessionId]))[0]
  return { ...made, current, sessionId, repeat, findSession, newEvents: () => made.events.slice(1) }
}

describe('the record of a session', () => {
  it('contains the device of the last refresh and the device of the login', async () => {
    const { service, current, findSession } = await createReplaced()
    expect(await findSession()).toMatchObject({ lastUserAgent: 'Firefox', lastIpAddress: '192.0.2.1' })
    await service.refresh(current, { device: phone })
    const last = { lastUserAgent: 'Safari', lastIpAddress: '198.51.100.7' }
    expect(await findSession()).toMatchObject({ ...laptop, ...last })
    expect(await service.sessions.list(1)).toMatchObject([{ ...laptop, ...last }])
  })

  it('is not changed by a repeat', async () => {
    const { repeat, findSession } = await createReplaced()
    const before = await findSession()
    await repeat(phone)
    expect(await findSession()).toEqual(before)
  })
})

describe('a repeat within the grace window', () => {
  it('is announced with its number, counted for each session and network, and with both devices', async () => {
    const { repeat, newEvents, sessionId, system } = await createReplaced()
    system.advance(7)
    await repeat(phone)
    await repeat()
    await repeat()
    const common = { type: 'refresh_token_repeated', userId: 1, sessionId, at: new Date(startOfTests + 7) }
    expect(newEvents()).toEqual([
      { ...common, count: 1, presentedFrom: phone, lastRefreshedFrom: laptop },
      { ...common, count: 1, presentedFrom: laptop, lastRefreshedFrom: laptop },
      { ...common, count: 2, presentedFrom: laptop, lastRefreshedFrom: laptop },
    ])
  })

  it('is always accepted; 20 of a day and session are announced, and 20 more from other networks', async () => {
    const { repeat, current, newEvents } = await createReplaced()
    for (let count = 1; count <= 100; count += 1) expect((await repeat()).refreshToken).toBe(current)
    expect(newEvents().map((event) => 'count' in event && event.count)).toEqual(
      Array.from({ length: 20 }, (_, place) => place + 1),
    )
    await repeat(phone)
    expect(newEvents().at(-1)).toMatchObject({ count: 1, presentedFrom: phone })
  })

  it('is not announced while storage fails', async () => {
    const storage = memoryStorage({ quiet: true })
    let rotate = storage.rotate
    const failing = { ...storage, rotate: (...args: Parameters<typeof rotate>) => rotate(...args) }
    const { repeat, current, newEvents } = await createReplaced({ storage: failing })
    rotate = () => Promise.reject(new Error('not enough replicas'))
    expect(await outcomeOf(repeat())).toBe('jwt_auth_unavailable')
    expect(newEvents()).toEqual([])
    rotate = storage.rotate
    expect((await repeat()).refreshToken).toBe(current)
    expect(newEvents()).toMatchObject([{ count: 1 }])
  })

  describe('with endSessionOnRepeatFromOtherNetwork', () => {
    const strict = { endSessionOnRepeatFromOtherNetwork: true }

    it('ends the session when it comes from another network', async () => {
      const { service, repeat, current, newEvents, findSession } = await createReplaced(strict)
      expect(await outcomeOf(repeat(phone))).toBe('jwt_auth_invalid_refresh_token')
      expect(await findSession()).toMatchObject({ endReason: 'refresh_token_repeated' })
      expect(await outcomeOf(service.refresh(current))).toBe('jwt_auth_invalid_refresh_token')
      expect(newEvents().map(({ type }) => type)).toEqual(['refresh_token_repeated', 'session_ended'])
    })

    it.each([
      ['the same address', laptop],
      ['the same address written as IPv6', { ...laptop, ipAddress: '::ffff:192.0.2.1' }],
      ['an unknown address', { ...laptop, ipAddress: null }],
    ])('returns the current token for %s', async (_, device) => {
      const { repeat, current } = await createReplaced(strict)
      expect((await repeat(device)).refreshToken).toBe(current)
    })

    it('returns the current token when the address of the last refresh is unknown', async () => {
      const { service, login } = createTestService(strict)
      const { refreshToken } = await login()
      const { refreshToken: current } = await service.refresh(refreshToken)
      expect((await service.refresh(refreshToken, { device: phone })).refreshToken).toBe(current)
    })
  })
})

describe('a replay', () => {
  it('is announced with both devices after its session has ended', async () => {
    const { service, current, repeat, newEvents, sessionId, system } = await createReplaced()
    await service.refresh(current, { device: phone })
    system.advance(30_001)
    expect(await outcomeOf(repeat())).toBe('jwt_auth_invalid_refresh_token')
    const at = new Date(startOfTests + 30_001)
    expect(newEvents()).toEqual([
      { type: 'session_ended', userId: 1, sessionId, ipAddress: null, at, reason: 'refresh_token_replayed' },
      { type: 'refresh_token_replayed', userId: 1, sessionId, at, presentedFrom: laptop, lastRefreshedFrom: phone },
    ])
  })
})

describe('the counter of suspicious uses', () => {
  it('counts each session, kind and day separately, up to 20', () => {
    const count = createReuseCounter()
    expect([count('a', 'missing', 0), count('a', 'missing', 1), count('b', 'missing', 1)]).toEqual([1, 2, 1])
    expect([count('a', 'other_key', 1), count('a', 'missing', 86_400_000)]).toEqual([1, 1])
    for (let number = 3; number <= 20; number += 1) expect(count('a', 'missing', 2)).toBe(number)
    expect(count('a', 'missing', 3)).toBeUndefined()
  })

  it('forgets the session that was least recently used beyond 10,000 sessions', () => {
    const count = createReuseCounter()
    for (let number = 0; number < 10_001; number += 1) count(`session-${number}`, 'missing', 0)
    expect([count('session-0', 'missing', 0), count('session-2', 'missing', 0)]).toEqual([1, 2])
  })
})
