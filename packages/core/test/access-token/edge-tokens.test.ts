import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it } from 'vitest'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import { isAuthError } from '../../src/errors/auth-error.js'
import { createCountedRing } from '../support/counted-ring.js'
import { type EdgeToken, type EdgeTokenGroup, edgeAudience, type Stage } from '../support/edge-tokens/edge-token.js'
import { edgeTokenGroups } from '../support/edge-tokens/groups.js'
import { startSecond } from '../support/forged-token.js'
import { testIssuer } from '../support/test-service.js'
import { startOfTests } from '../support/test-system.js'

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

describe('the table of edge tokens', () => {
  const isWrong = ({ token, ends }: EdgeToken, keyRing: EdgeTokenGroup['keyRing']): boolean =>
    isAcceptedByJsonwebtoken(token, keyRing) !== (ends === 'accepted')

  const toRow = (edge: EdgeToken, keyRing: EdgeTokenGroup['keyRing']): string => {
    const isAccepted = isAcceptedByJsonwebtoken(edge.token, keyRing)
    const ours = edge.ends === 'accepted' ? 'accepted' : `refused (${edge.ends})`
    const plain = isAccepted ? 'accepted' : 'refused'
    return `| ${edge.name} | ${ours} | ${isWrong(edge, keyRing) ? `**${plain}**` : plain} |`
  }

  const { version } = createRequire(import.meta.url)('jsonwebtoken/package.json')

  it('contains the results of jwt-auth and of jsonwebtoken alone for each edge token', async () => {
    const all = edgeTokenGroups.flatMap(({ keyRing, tokens }) =>
      tokens.map((edge) => ({ isWrong: isWrong(edge, keyRing), mustNotPass: edge.ends !== 'accepted' })),
    )
    const wrong = all.filter((edge) => edge.isWrong)
    const sections = edgeTokenGroups.map(({ title, keyRing, tokens }) =>
      [
        `## ${title}`,
        '',
        '| Token | jwt-auth | jsonwebtoken |',
        '|---|---|---|',
        ...tokens.map((edge) => toRow(edge, keyRing)),
      ].join('\n'),
    )
    const page = [
      '# Edge-case tokens',
      '',
      `This page lists ${all.length} unusual or invalid tokens, and shows whether jwt-auth and plain jsonwebtoken ${version} accept each of them. Each`,
      'token is signed with the right key unless its name says otherwise. jsonwebtoken is called with the key, the algorithm, the issuer',
      'and the audience pinned. A result in bold violates [decision 0003](../decisions/0003-access-tokens.md).',
      `jwt-auth judges all ${all.length} tokens correctly,`,
      `and jsonwebtoken judges ${all.length - wrong.length} correctly. jsonwebtoken accepts ${wrong.filter(({ mustNotPass }) => mustNotPass).length} tokens that must be refused, and does not support EdDSA.`,
      '',
      'The word in brackets is the check that refuses a token:',
      '',
      '- `form`: the token is not three canonical parts, or the header is not exactly `alg`, `typ` and `kid`.',
      '- `key`: the key ring has no key with this `kid`, the key is for a different algorithm, or the signature has the wrong length for the',
      '  algorithm. The token is refused before its signature is verified.',
      '- `signature`: the signature is invalid.',
      '- `claims`: the payload or a claim is invalid.',
      '- `start`: the token is not valid yet.',
      '- `expiry`: the token has expired.',
      '',
      'A test compares this page with the code. `npm test -- packages/core/test/access-token/edge-tokens.test.ts -u` updates the page.',
      '',
      ...sections.flatMap((section) => [section, '']),
    ].join('\n')
    const path = fileURLToPath(new URL('../../../../docs/security/edge-tokens.md', import.meta.url))
    await expect(page).toMatchFileSnapshot(path)
  })
})
