import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { toRotation } from '../../src/session/decide-refresh.js'
import { deriveSuccessor, generateRefreshToken, toHash } from '../../src/session/refresh-token.js'
import { createSessionChain, testPolicy, testSecrets } from '../support/session-fixture.js'

const place = { userAgent: 'curl/9', ipAddress: '192.0.2.9' }

describe('a rotation', () => {
  it('contains the verifier that it replaces and the complete next state', () => {
    const system = createTestSystem()
    const { session, current } = createSessionChain(system)
    const salt = system.randomBytes(16)
    const token = deriveSuccessor(current(), { salt, serviceSecret: testSecrets[0] })
    system.advance(60_000)

    const rotation = toRotation(session(), { token, salt, client: place }, { now: system.now(), policy: testPolicy })

    expect(rotation).toEqual({
      id: session().id,
      expectedVerifierHash: toHash(current().verifier),
      verifierHash: toHash(token.verifier),
      recentVerifiers: [
        {
          verifierHash: toHash(current().verifier),
          salt: salt.toString('base64url'),
          replacedAt: startOfTests + 60_000,
        },
      ],
      rotatedAt: startOfTests + 60_000,
      lastUsedAt: startOfTests + 60_000,
      lastUserAgent: 'curl/9',
      lastIpAddress: '192.0.2.9',
      idleExpiresAt: startOfTests + 60_000 + testPolicy.sessionIdleTimeoutSeconds * 1_000,
    })
  })

  // A concurrent password change may write a new version to the session that it keeps.
  it('does not write the credential version that it read', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const rotation = toRotation(
      chain.session(),
      { token: generateRefreshToken(system.randomBytes), salt: system.randomBytes(16), client: place },
      { now: system.now(), policy: testPolicy },
    )
    expect(rotation).not.toHaveProperty('credentialVersion')
    chain.rotate()
    expect(chain.session().credentialVersion).toBe('v1')
  })
})
