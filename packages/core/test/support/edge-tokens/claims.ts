import { testIssuer } from '@jwt-auth/test-support/test-service'
import { startSecond } from '../forged-token.js'
import { edgeClaims, endAt, spelled, withClaims, withMember, withPayload } from './edge-token.js'

const bom = Buffer.from([0xef, 0xbb, 0xbf])
const deep = '['.repeat(1_500) + ']'.repeat(1_500)

/** Payloads that are not the JSON of an object, and payloads with unusual JSON. */
export const payloads = [
  ...endAt('accepted', [
    ['claims that the application adds', withClaims({ roles: ['admin'], tenant: { id: 7, name: 'Ünïcode 🙂' } })],
    [
      'a member name that recurs in another object and in a string value',
      withClaims({ a: { n: 1 }, b: [{ n: 2 }], c: '"n":1,"n":2' }),
    ],
    ['arrays nested 1,500 deep', withPayload(withMember(`"deep":${deep}`))],
  ]),
  ...endAt('claims', [
    ['invalid JSON', withPayload('{"iss":')],
    ['an array', withPayload([edgeClaims])],
    ['a string', withPayload('"claims"')],
    ['a number', withPayload('1')],
    ['null', withPayload('null')],
    ['an empty object', withPayload({})],
    ['two objects', withPayload(`${JSON.stringify(edgeClaims)}{}`)],
    ['a byte order mark', withPayload(Buffer.concat([bom, Buffer.from(JSON.stringify(edgeClaims))]))],
    ['ill-formed UTF-8', withPayload(Buffer.from(withMember('"name":"\xff"'), 'latin1'))],
    ['a lone surrogate in a value', withPayload(withMember('"name":"\\ud800"'))],
    ['a lone surrogate in a name', withPayload(withMember('"\\udc00":1'))],
    ['1e400 in a claim of the application', withPayload(withMember('"quota":1e400'))],
    ['a duplicate member', withPayload(withMember('"sub":"1"'))],
    ['a duplicate member, one with an escaped name', withPayload(withMember('"s\\u0075b":"2"'))],
    ['a duplicate member in a nested object', withPayload(spelled('data', '{"user":{"id":1,"id":1}}'))],
    ['a duplicate member in an object of an array', withPayload(withMember('"list":[{"a":1,"a":2}]'))],
    ['a duplicate claim of the application', withPayload(withMember('"role":"user","role":"admin"'))],
    ['`__proto__`', withPayload(withMember('"__proto__":{"sub":"2"}'))],
    ['`__proto__`, escaped', withPayload(withMember('"\\u005f_proto__":1'))],
    ['`__proto__` in a nested object', withPayload(withMember('"tenant":{"__proto__":1}'))],
  ]),
]

/** Valid and invalid claims. */
export const claims = [
  ...endAt('accepted', [
    ['a user id that is text', withClaims({ sub: 'bob-2', data: { user: { id: 'bob-2' } } })],
    ['`data` with an additional member', withClaims({ data: { user: { id: 1 }, role: 'admin' } })],
    ['`data.user` with an additional member', withClaims({ data: { user: { id: 1, role: 'admin' } } })],
    ['the audience in an array', withClaims({ aud: ['reports'] })],
    ['the audience in an array with a second audience', withClaims({ aud: ['photos', 'reports'] })],
  ]),
  ...endAt('claims', [
    ['no `exp`', withClaims({ exp: undefined })],
    ['`exp` is text', withClaims({ exp: String(edgeClaims.exp) })],
    ['`exp` is null', withClaims({ exp: null })],
    ['`exp` with a fraction', withClaims({ exp: edgeClaims.exp + 0.5 })],
    ['`exp` is 1e400', withPayload(spelled('exp', '1e400'))],
    ['`exp` after the year 9999', withClaims({ exp: 253_402_300_800 })],
    ['`exp` in milliseconds', withClaims({ exp: edgeClaims.exp * 1_000 })],
    ['`exp` is negative', withClaims({ exp: -1 })],
    ['`exp` is an array', withClaims({ exp: [edgeClaims.exp] })],
    ['no `iat`', withClaims({ iat: undefined })],
    ['`iat` is text', withClaims({ iat: String(edgeClaims.iat) })],
    ['`iat` is true', withClaims({ iat: true })],
    ['no `nbf`', withClaims({ nbf: undefined })],
    ['`nbf` is text', withClaims({ nbf: String(edgeClaims.nbf) })],
    ['no `auth_time`', withClaims({ auth_time: undefined })],
    ['`auth_time` is text', withClaims({ auth_time: '0' })],
    ['no `sub`', withClaims({ sub: undefined })],
    ['`sub` is a number', withClaims({ sub: 1 })],
    ['`sub` and `data` name different users', withClaims({ sub: '2' })],
    ['the user id in `sub` with a leading zero (01)', withClaims({ sub: '01' })],
    ['a NUL in `sub`', withClaims({ sub: 'bob\0', data: { user: { id: 'bob\0' } } })],
    ['no `jti`', withClaims({ jti: undefined })],
    ['`jti` is a number', withClaims({ jti: 1 })],
    ['`jti` of another length', withClaims({ jti: 'AAAA' })],
    ['no `sid`', withClaims({ sid: undefined })],
    ['`sid` is a number', withClaims({ sid: 1 })],
    ['SQL in `sid`', withClaims({ sid: "' OR 1=1 --AAAAAAAAAAA" })],
    ['no `data`', withClaims({ data: undefined })],
    ['`data` is null', withClaims({ data: null })],
    ['`data` is an array', withClaims({ data: [{ user: { id: 1 } }] })],
    ['`data` without a user', withClaims({ data: {} })],
    ['`data.user.id` is null', withClaims({ sub: 'null', data: { user: { id: null } } })],
    ['`data.user.id` with a fraction', withClaims({ sub: '1.5', data: { user: { id: 1.5 } } })],
    ['`data.user.id` is empty', withClaims({ sub: '', data: { user: { id: '' } } })],
    ['no `iss`', withClaims({ iss: undefined })],
    ['another issuer', withClaims({ iss: 'https://other.example.com' })],
    ['the issuer with a trailing slash', withClaims({ iss: `${testIssuer}/` })],
    ['the issuer in an array', withClaims({ iss: [testIssuer] })],
    ['another issuer, and expired', withClaims({ iss: 'https://other.example.com', exp: 1 })],
    ['no `aud`', withClaims({ aud: undefined })],
    ['another audience', withClaims({ aud: 'photos' })],
    ['two other audiences', withClaims({ aud: ['photos', 'films'] })],
    ['the audience in an array in an array', withClaims({ aud: [['reports']] })],
    ['the audience in upper case', withClaims({ aud: 'REPORTS' })],
  ]),
  ...endAt('expiry', [['expires this second', withClaims({ exp: startSecond })]]),
  ...endAt('start', [
    ['issued 61 s in the future', withClaims({ iat: startSecond + 61 })],
    ['not valid until 61 s from now', withClaims({ nbf: startSecond + 61 })],
  ]),
]
