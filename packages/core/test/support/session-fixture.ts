import { createTestSystem, type TestSystem } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import type { ServiceSecrets } from '../../src/keys/key-ring.js'
import type { SessionRecord } from '../../src/ports/session-storage.js'
import { toRotation } from '../../src/session/decide-refresh.js'
import { deriveSuccessor, generateRefreshToken, type RefreshToken, saltBytes } from '../../src/session/refresh-token.js'
import type { SessionPolicy } from '../../src/session/session-record.js'
import { toNewSession } from '../../src/session/session-record.js'

export const testPolicy = {
  accessTokenLifetimeSeconds: 3_600,
  sessionIdleTimeoutSeconds: 30 * 24 * 3_600,
  sessionAbsoluteTimeoutSeconds: 90 * 24 * 3_600,
  refreshGraceSeconds: 30,
}

/** The secrets that successors of refresh tokens are derived from. */
export const testSecrets: ServiceSecrets = [Buffer.alloc(32, 7)]

/** A session and all of its refresh tokens, oldest first. */
export interface SessionChain {
  readonly session: () => SessionRecord
  readonly tokens: () => readonly RefreshToken[]
  readonly current: () => RefreshToken
  /** Replaces the current token with its successor, at the present instant of the system. */
  readonly rotate: () => void
}

/** Opens a session that rotates without a storage. */
export const createSessionChain = (
  system: TestSystem = createTestSystem(),
  policy: SessionPolicy = testPolicy,
  serviceSecrets = testSecrets,
): SessionChain => {
  let current = generateRefreshToken(system.randomBytes)
  let session = toNewSession(
    {
      id: system.randomBytes(16).toString('base64url'),
      issuer: 'https://api.example.com',
      user: ann,
      refreshToken: current,
      dpopThumbprint: null,
      device: { userAgent: null, ipAddress: null, label: null },
    },
    { now: system.now(), policy },
  )
  const tokens = [current]
  return {
    session: () => session,
    tokens: () => tokens,
    current: () => current,
    rotate: () => {
      const salt = system.randomBytes(saltBytes)
      current = deriveSuccessor(current, { salt, serviceSecret: serviceSecrets[0] })
      const successor = { token: current, salt, client: { userAgent: null, ipAddress: null } }
      const { expectedVerifierHash: _, ...next } = toRotation(session, successor, { now: system.now(), policy })
      session = { ...session, ...next }
      tokens.push(current)
    },
  }
}
