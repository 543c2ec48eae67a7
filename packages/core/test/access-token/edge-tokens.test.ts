import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { testIssuer } from '@jwt-auth/test-support/test-service'
import { startOfTests } from '@jwt-auth/test-support/test-system'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it } from 'vitest'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import { isAuthError } from '../../src/errors/auth-error.js'
import { createCountedRing } from '../support/counted-ring.js'
import { type EdgeTokenGroup, edgeAudience, type Stage } from '../support/edge-tokens/edge-token.js'
import { edgeTokenGroups } from '../support/edge-tokens/groups.js'
import { startSecond } from '../support/forged-token.js'

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
    issuer: testIssuer,
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

/** Returns whether jsonwebtoken accepts a token with the key, the algorithm, the issuer and the audience pinned. */
const isAcceptedByJsonwebtoken = (token: string, { active, find }: EdgeTokenGroup['keyRing']): boolean => {
  const { key, algorithm } = find(active.kid) ?? {}
  if (key === undefined || algorithm === undefined || algorithm === 'EdDSA') return false
  try {
    jsonwebtoken.verify(token, key, {
      algorithms: [algorithm],
      issuer: testIssuer,
      audience: edgeAudience,
      clockTimestamp: startSecond,
    })
    return true
  } catch {
    return false
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

describe('the security page', () => {
  it('counts the edge tokens, and those that jsonwebtoken alone accepts wrongly', async () => {
    const all = edgeTokenGroups.flatMap(({ keyRing, tokens }) => tokens.map((edge) => ({ ...edge, keyRing })))
    const wrong = all.filter(
      ({ token, ends, keyRing }) => ends !== 'accepted' && isAcceptedByJsonwebtoken(token, keyRing),
    )
    const { version } = createRequire(import.meta.url)('jsonwebtoken/package.json')
    const page = await readFile(new URL('../../../../docs/security.md', import.meta.url), 'utf8')
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      `of ${all.length}, jsonwebtoken ${version} alone accepts ${wrong.length} that must be refused.`,
    )
  })
})
