import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { describe, expect, it } from 'vitest'
import { generateRefreshToken, toHash } from '../../src/session/refresh-token.js'
import { type SessionPolicy, toNewSession } from '../../src/session/session-record.js'
import { testPolicy } from '../support/session-fixture.js'

const device = { userAgent: 'curl/8', ipAddress: '192.0.2.1', label: null }
const day = 24 * 3_600_000
const [id, issuer] = ['CCCCCCCCCCCCCCCCCCCCCC', 'https://api.example.com']
const thumbprint = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'
const refreshToken = generateRefreshToken(createTestSystem().randomBytes)

const create = (user: object = {}, policy: Partial<SessionPolicy> = {}) =>
  toNewSession(
    { id, issuer, user: { ...ann, ...user }, refreshToken, device, dpopThumbprint: thumbprint },
    { now: startOfTests, policy: { ...testPolicy, ...policy } },
  )

describe('a new session', () => {
  it('contains the hashes of its first refresh token and no recent verifier', () => {
    expect(create()).toEqual({
      id,
      issuer,
      userId: 1,
      selectorHash: toHash(refreshToken.selector),
      verifierHash: toHash(refreshToken.verifier),
      recentVerifiers: [],
      createdAt: startOfTests,
      rotatedAt: startOfTests,
      lastUsedAt: startOfTests,
      idleExpiresAt: startOfTests + 30 * day,
      absoluteExpiresAt: startOfTests + 90 * day,
      endedAt: null,
      endReason: null,
      credentialVersion: 'v1',
      dpopThumbprint: thumbprint,
      userAgent: 'curl/8',
      ipAddress: '192.0.2.1',
      lastUserAgent: 'curl/8',
      lastIpAddress: '192.0.2.1',
      label: null,
      attributes: null,
    })
  })

  it.each([
    [10, 60, 10_000],
    [60, 60, 60_000],
    [600, 60, 60_000],
  ])(
    'expires with an idle timeout of %i s and an absolute timeout of %i s after %i ms',
    (sessionIdleTimeoutSeconds, sessionAbsoluteTimeoutSeconds, idleMs) => {
      const session = create({}, { sessionIdleTimeoutSeconds, sessionAbsoluteTimeoutSeconds })
      expect(session.idleExpiresAt - startOfTests).toBe(idleMs)
      expect(session.absoluteExpiresAt - startOfTests).toBe(sessionAbsoluteTimeoutSeconds * 1_000)
    },
  )

  it.each([
    [undefined, null],
    ['v7', 'v7'],
    [7, '7'],
    [0, '0'],
    ['', ''],
  ])('stores a credential version that is %j as %j', (credentialVersion, stored) => {
    expect(create({ credentialVersion }).credentialVersion).toBe(stored)
  })
})
