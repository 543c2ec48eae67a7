import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { startOfTests } from '@jwt-auth/test-support/test-system'
import { describe, expect, it } from 'vitest'
import type { Device, TokenServiceOptions } from '../../src/index.js'
import { createRepeatCounter } from '../../src/operations/refresh-watch.js'

const laptop = { userAgent: 'Firefox', ipAddress: '192.0.2.1' }
const phone = { userAgent: 'Safari', ipAddress: '198.51.100.7' }

/** Creates a session of a laptop whose first refresh token was replaced by a refresh from the same laptop. */
const createReplaced = async (options: Partial<TokenServiceOptions> = {}) => {
  const made = createTestService(options)
  const credentials = { username: ann.nicename, password: ann.password }
  const { refreshToken, sessionId } = await made.service.authenticate(credentials, { device: laptop })
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
  it('is announced with its number and both devices', async () => {
    const { repeat, newEvents, sessionId, system } = await createReplaced()
    system.advance(7)
    await repeat(phone)
    await repeat()
    const common = { type: 'refresh_token_repeated', userId: 1, sessionId, at: new Date(startOfTests + 7) }
    expect(newEvents()).toEqual([
      { ...common, count: 1, presentedFrom: phone, lastRefreshedFrom: laptop },
      { ...common, count: 2, presentedFrom: laptop, lastRefreshedFrom: laptop },
    ])
  })

  it('is accepted 20 times for each token; further repeats respond with a time to wait and end nothing', async () => {
    const { service, repeat, current, newEvents, findSession } = await createReplaced()
    for (let count = 1; count <= 20; count += 1) expect((await repeat()).refreshToken).toBe(current)
    const before = await findSession()
    for (let count = 1; count <= 3; count += 1) {
      expect(await rejectionOf(repeat())).toMatchObject({ code: 'jwt_auth_rate_limited', retryAfterSeconds: 1 })
    }
    expect(await findSession()).toEqual(before)
    expect(newEvents().map((event) => 'count' in event && event.count)).toEqual(
      Array.from({ length: 21 }, (_, place) => place + 1),
    )
    const { refreshToken: next } = await service.refresh(current, { device: laptop })
    expect((await service.refresh(current, { device: laptop })).refreshToken).toBe(next)
  })

  it('does not count while storage fails', async () => {
    const storage = memoryStorage({ quiet: true })
    let rotate = storage.rotate
    const failing = { ...storage, rotate: (...args: Parameters<typeof rotate>) => rotate(...args) }
    const { repeat, current } = await createReplaced({ storage: failing })
    rotate = () => Promise.reject(new Error('not enough replicas'))
    for (let count = 1; count <= 21; count += 1) expect(await outcomeOf(repeat())).toBe('jwt_auth_unavailable')
    rotate = storage.rotate
    expect((await repeat()).refreshToken).toBe(current)
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

describe('the counter of repeats', () => {
  it('counts each replaced token separately', () => {
    const count = createRepeatCounter()
    expect([count('a'), count('a'), count('b'), count('a')]).toEqual([1, 2, 1, 3])
  })

  it('forgets the least recently repeated token beyond 10,000 tokens', () => {
    const count = createRepeatCounter()
    count('oldest')
    count('kept')
    for (let number = 2; number < 10_000; number += 1) count(`token-${number}`)
    expect(count('oldest')).toBe(2)
    count('one more')
    expect([count('oldest'), count('token-2')]).toEqual([3, 2])
    expect(count('kept')).toBe(1)
  })
})
