import { bearer, type HttpMessage } from '@jwt-auth/test-support/http-client'
import { startOfTime } from '@jwt-auth/test-support/test-clock'
import { decodeToken, forgeToken, otherSecret } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import { expectAccepted, expectRefused } from './support/bearer-routes.js'
import { byName } from './support/by-name.js'
import {
  badSignature,
  type ContractResponse,
  expectResponse,
  expiredToken,
  invalidToken,
  tokenRevoked,
  validToken,
} from './support/expected-responses.js'
import { openSession, refresh, requestRevocation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { createGatedStorage } from './support/gated-storage.js'
import { startHost } from './support/test-host.js'

const startSecond = startOfTime / 1000

const swapPayload = (token: string, claims: object): string => {
  const [header, , signature] = token.split('.')
  const { claims: valid } = decodeToken(token)
  return [header, Buffer.from(JSON.stringify({ ...valid, ...claims })).toString('base64url'), signature].join('.')
}

/** Invalid tokens, one for each response. What makes a token invalid is shown by the tests of the core. */
const invalidTokens: readonly (readonly [string, (valid: string) => string, ContractResponse])[] = [
  ['is malformed', () => 'abc', invalidToken()],
  ['has other claims than were signed', (valid) => swapPayload(valid, { sub: '8' }), badSignature],
  ['is signed with another secret', (valid) => forgeToken(valid, { secret: otherSecret }), badSignature],
  ['names the algorithm none', (valid) => forgeToken(valid, { header: { alg: 'none' } }), badSignature],
  ['has expired', (valid) => forgeToken(valid, { claims: { exp: startSecond } }), expiredToken],
  ['has another issuer', (valid) => forgeToken(valid, { claims: { iss: 'https://attacker.example' } }), invalidToken()],
]

/** Bodies that a route which reads no body must ignore. */
const unreadBodies: readonly (HttpMessage & { readonly name: string })[] = [
  { name: 'no body' },
  { name: 'an empty body', body: '' },
  { name: 'null', headers: { 'Content-Type': 'application/json' }, body: 'null' },
  { name: 'broken JSON', headers: { 'Content-Type': 'application/json' }, body: '{' },
  { name: 'a form', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
  { name: 'a body without a type', body: '{}' },
  { name: 'a body over the limit', headers: { 'Content-Type': 'application/json' }, body: ' '.repeat(20_000) },
  { name: 'a chunked body', headers: { 'Content-Type': 'application/json' }, body: '{}', chunked: true },
]

describe('a route of an access token', () => {
  it.each(byName(unreadBodies))('reads no body: %s', async (_, { headers, ...message }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const expected = { validate: validToken, revoke: tokenRevoked('2030-01-02 03:04:05') }
    for (const [route, response] of Object.entries(expected)) {
      const sent = { ...message, headers: { ...headers, ...bearer(token).headers } }
      expectResponse(await host.send('POST', `/jwt-auth/v1/token/${route}`, sent), response)
    }
  })
})

describe('validate, me and the guard', () => {
  it.each(invalidTokens)('respond with 401 to a token that %s, without asking storage', async (_, make, expected) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.calls.length = 0
    await expectRefused(host, make(token), expected)
    expect(host.storage.calls).toStrictEqual([])
  })
  it('refuse all tokens of a session on every instance once one instance revoked one of them', async () => {
    const storage = createGatedStorage()
    const [one, other] = [
      await startHost(express5Framework, { storage }),
      await startHost(express5Framework, { storage }),
    ]
    const { token, refreshToken } = await openSession(one)
    await expectAccepted(other, token)
    await requestRevocation(one, (await refresh(one, refreshToken)).token)
    await expectRefused(other, token, invalidToken())
  })
})
