import { describe, expect, it } from 'vitest'
import { isAccessTokenClaims } from '../../src/access-token/claims.js'
import { validClaims } from '../support/forged-token.js'

const lastSecond = 253_402_300_799
const id22 = validClaims.jti
const jkt = 'A'.repeat(43)

describe('the claims of an access token are accepted', () => {
  it.each<[string, object]>([
    ['as the service writes them', {}],
    ['with an audience', { aud: 'reports' }],
    ['with audiences', { aud: ['reports', 'photos'] }],
    ['with the claims of attributes', { amr: ['pwd', 'otp'], acr: '2', act: { sub: 'admin-7', act: { sub: 'b' } } }],
    ['with further members of `data`', { data: { user: { id: 1, name: 'ann' }, tenant: { id: 1 } } }],
    ['with claims of the application', { role: 'admin', azp: 7 }],
    ['with times at the first second of 1970', { iat: 0, nbf: 0, exp: 0, auth_time: 0 }],
    [
      'with times at the last second of a Date',
      { iat: lastSecond, nbf: lastSecond, exp: lastSecond, auth_time: lastSecond },
    ],
    ['with the key that the token is bound to', { cnf: { jkt } }],
    ['with a user id that is text', { sub: 'bob-2', data: { user: { id: 'bob-2' } } }],
  ])('%s', (_, changes) => {
    expect(isAccessTokenClaims({ ...validClaims, ...changes })).toBe(true)
  })
})

// edge-tokens.test.ts tests whole tokens with such claims, which a later check may refuse too.
describe('the claims of an access token are refused', () => {
  it.each<[string, object]>([
    ['without an issuer', { iss: undefined }],
    ['with an empty issuer', { iss: '' }],
    ['with a list as issuer', { iss: [validClaims.iss] }],
    ['with an empty audience', { aud: '' }],
    ['with null as audience', { aud: null }],
    ['with an empty list as audience', { aud: [] }],
    ['with an audience that is no text', { aud: ['reports', 7] }],
    ['with text as methods of the login', { amr: 'pwd' }],
    ['with no method of the login', { amr: [] }],
    ['with a method of the login that is no text', { amr: ['pwd', null] }],
    ['with a number as class of the login', { acr: 2 }],
    ['with text as actor', { act: 'admin-7' }],
    ['with an actor without a subject', { act: { client_id: 'a' } }],
    ['with null as actor', { act: null }],
    ...(['iat', 'nbf', 'exp', 'auth_time'] as const).flatMap((name): [string, object][] => [
      [`without ${name}`, { [name]: undefined }],
      [`with ${name} as text`, { [name]: String(validClaims[name]) }],
      [`with ${name} in a list`, { [name]: [validClaims[name]] }],
      [`with half a second in ${name}`, { [name]: validClaims[name] + 0.5 }],
      [`with ${name} before 1970`, { [name]: -1 }],
      [`with ${name} after the last date`, { [name]: lastSecond + 1 }],
    ]),
    ['with a short token id', { jti: id22.slice(1) }],
    ['with a long token id', { jti: `${id22}A` }],
    ['with another character before a token id', { jti: `.${id22}` }],
    ['with another character after a token id', { jti: `${id22}.` }],
    ['with a token id in a list', { jti: [id22] }],
    ['with a session id in a list', { sid: [validClaims.sid] }],
    ['with a long session id', { sid: `${validClaims.sid}B` }],
    ['bound to nothing', { cnf: null }],
    ['bound to a key without a name', { cnf: jkt }],
    ['bound to keys in a list', { cnf: [{ jkt }] }],
    ['bound to a certificate', { cnf: { 'x5t#S256': jkt } }],
    ['bound to a key and to a certificate', { cnf: { jkt, 'x5t#S256': jkt } }],
    ['bound to a key with a short thumbprint', { cnf: { jkt: jkt.slice(1) } }],
    ['without a user, when the subject is undefined', { data: undefined, sub: 'undefined' }],
    ['with a user under another name', { data: { admin: { id: 1 } } }],
    ['with a user id in place of the user', { data: { user: 1 } }],
    ['with another subject', { sub: '2' }],
    ['with a number as subject', { sub: 1 }],
  ])('%s', (_, changes) => {
    expect(isAccessTokenClaims({ ...validClaims, ...changes })).toBe(false)
  })
})
