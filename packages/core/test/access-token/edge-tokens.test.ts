import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { testIssuer } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import { isAuthError } from '../../src/errors/auth-error.js'
import { createCountedRing } from '../support/counted-ring.js'
import { type EdgeTokenGroup, edgeAudience, type Stage } from '../support/edge-tokens/edge-token.js'
import { edgeTokenGroups } from '../support/edge-tokens/groups.js'

/** The message for a token that ends at a stage, and the number of computed signatures. */
const endings: Readonly<Record<Stage, readonly [message: string, signatureChecks: number]>> = {
  form: ['Invalid token.', 0],
  key: ['Signature verification failed', 0],
  signature: ['Signature verification failed', 1],
  claims: ['Invalid token.', 1],
  start: ['Invalid token.', 1],
  expiry: ['Expired token', 1],
  accepted: ['accepted', 1],
}

/** Returns the message for a token, and the number of computed signatures. */
const verify = (
  token: string,
  keyRing: EdgeTokenGroup['keyRing'],
): readonly [message: string, signatureChecks: number] => {
  const counted = createCountedRing(keyRing)
  const verifyAccessToken = createAccessTokenVerifier({
    keyRing: counted.keyRing,
    issuers: [testIssuer],
    audience: edgeAudience,
    clockToleranceSeconds: 0,
  })
  try {
    verifyAccessToken(token, startOfTests)
    return ['accepted', counted.checked.length]
  } catch (error) {
    if (!isAuthError(error) || error.code !== 'jwt_auth_invalid_token') throw error
    return [error.message, counted.checked.length]
  }
}

describe.each(edgeTokenGroups.map((group) => [group.title, group] as const))(
  'an edge token (%s)',
  (_, { keyRing, tokens }) => {
    it.each(tokens.map((edge) => [edge.name, edge.ends, edge.token] as const))('%s: %s', (_, ends, token) => {
      expect(verify(token, keyRing)).toEqual(endings[ends])
    })
  },
)
