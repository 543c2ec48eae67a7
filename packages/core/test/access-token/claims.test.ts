import { describe, expect, it } from 'vitest'
import { isAccessTokenClaims } from '../../src/access-token/claims.js'
import { goodClaims } from '../support/forged-token.js'

const lastSecond = 253_402_300_799
const id22 = goodClaims.jti

describe('claims are those of an access token', () => {
  it.each<[string, object]>([
    ['as the service writes them', {}],
    ['with an audience', { aud: 'reports' }],
    ['with claims of the host', { role: 'admin' }],
    ['at the first second there is', { iat: 0, nbf: 0, exp: 0 }],
    ['at the last second with a date', { iat: lastSecond, nbf: lastSecond, exp: lastSecond }],
    ['of a user named by text', { sub: 'bob-2', data: { user: { id: 'bob-2' } } }],
  ])('%s', (_, changes) => {
    expect(isAccessTokenClaims({ ...goodClaims, ...changes })).toBe(true)
  })
})

// Whole tokens with such claims stand in edge-tokens.test.ts; there a later check may refuse them too.
describe('claims are not those of an access token', () => {
  it.each<[string, object]>([
    ['without an issuer', { iss: undefined }],
    ['with an empty issuer', { iss: '' }],
    ['with a list as issuer', { iss: [goodClaims.iss] }],
    ['with an empty audience', { aud: '' }],
    ['with null as audience', { aud: null }],
    ['with a list as audience', { aud: ['reports'] }],
    ...(['iat', 'nbf', 'exp'] as const).flatMap((name): [string, object][] => [
      [`without ${name}`, { [name]: undefined }],
      [`with ${name} as text`, { [name]: String(goodClaims[name]) }],
      [`with ${name} in a list`, { [name]: [goodClaims[name]] }],
      [`with half a second in ${name}`, { [name]: goodClaims[name] + 0.5 }],
      [`with ${name} before 1970`, { [name]: -1 }],
      [`with ${name} after the last date`, { [name]: lastSecond + 1 }],
    ]),
    ['with a short token id', { jti: id22.slice(1) }],
    ['with a long token id', { jti: `${id22}A` }],
    ['with another character before a token id', { jti: `.${id22}` }],
    ['with another character behind a token id', { jti: `${id22}.` }],
    ['with a token id in a list', { jti: [id22] }],
    ['with a session id in a list', { sid: [goodClaims.sid] }],
    ['with a long session id', { sid: `${goodClaims.sid}B` }],
    ['without a user, whom the subject calls undefined', { data: undefined, sub: 'undefined' }],
    ['with a user beside others', { data: { user: { id: 1 }, admin: { id: 1 } } }],
    ['with an id beside others', { data: { user: { id: 1, name: 'ann' } } }],
    ['with a user of another name', { data: { admin: { id: 1 } } }],
    ['with a user that is an id', { data: { user: 1 } }],
    ['with another subject', { sub: '2' }],
    ['with a number as subject', { sub: 1 }],
  ])('%s', (_, changes) => {
    expect(isAccessTokenClaims({ ...goodClaims, ...changes })).toBe(false)
  })
})
