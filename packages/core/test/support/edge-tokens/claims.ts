import { startSecond } from '../forged-token.js'
import { testIssuer } from '../test-service.js'
import { edgeClaims, endAt, spelled, withClaims, withMember, withPayload } from './edge-token.js'

const bom = Buffer.from([0xef, 0xbb, 0xbf])
const deep = '['.repeat(1_500) + ']'.repeat(1_500)

/** What a payload may be. */
export const payloads = [
  ...endAt('accepted', [
    ['claims of the host', withClaims({ roles: ['admin'], tenant: { id: 7, name: 'Ünïcode 🙂' } })],
    ['a name in different objects and in a string', withClaims({ a: { n: 1 }, b: [{ n: 2 }], c: '"n":1,"n":2' })],
    ['lists 1,500 deep', withPayload(withMember(`"deep":${deep}`))],
  ]),
  ...endAt('claims', [
    ['broken JSON', withPayload('{"iss":')],
    ['a list', withPayload([edgeClaims])],
    ['a string', withPayload('"claims"')],
    ['a number', withPayload('1')],
    ['null', withPayload('null')],
    ['an empty object', withPayload({})],
    ['two objects', withPayload(`${JSON.stringify(edgeClaims)}{}`)],
    ['a byte order mark', withPayload(Buffer.concat([bom, Buffer.from(JSON.stringify(edgeClaims))]))],
    ['ill-formed UTF-8', withPayload(Buffer.from(withMember('"name":"\xff"'), 'latin1'))],
    ['half a surrogate pair in a value', withPayload(withMember('"name":"\\ud800"'))],
    ['half a surrogate pair in a name', withPayload(withMember('"\\udc00":1'))],
    ['1e400 in a claim of the host', withPayload(withMember('"quota":1e400'))],
    ['a name twice', withPayload(withMember('"sub":"1"'))],
    ['a name twice, once escaped', withPayload(withMember('"s\\u0075b":"2"'))],
    ['a name twice within', withPayload(spelled('data', '{"user":{"id":1,"id":1}}'))],
    ['a name twice in an object of a list', withPayload(withMember('"list":[{"a":1,"a":2}]'))],
    ['a claim of the host twice', withPayload(withMember('"role":"user","role":"admin"'))],
    ['`__proto__`', withPayload(withMember('"__proto__":{"sub":"2"}'))],
    ['`__proto__`, escaped', withPayload(withMember('"\\u005f_proto__":1'))],
    ['`__proto__` within', withPayload(withMember('"tenant":{"__proto__":1}'))],
  ]),
]

/** What the claims may be. */
export const claims = [
  ...endAt('accepted', [['a user named by text', withClaims({ sub: 'bob-2', data: { user: { id: 'bob-2' } } })]]),
  ...endAt('claims', [
    ['no `exp`', withClaims({ exp: undefined })],
    ['`exp` as text', withClaims({ exp: String(edgeClaims.exp) })],
    ['`exp` null', withClaims({ exp: null })],
    ['`exp` with a fraction', withClaims({ exp: edgeClaims.exp + 0.5 })],
    ['`exp` 1e400', withPayload(spelled('exp', '1e400'))],
    ['`exp` past the last date', withClaims({ exp: 253_402_300_800 })],
    ['`exp` in milliseconds', withClaims({ exp: edgeClaims.exp * 1_000 })],
    ['`exp` negative', withClaims({ exp: -1 })],
    ['`exp` as a list', withClaims({ exp: [edgeClaims.exp] })],
    ['no `iat`', withClaims({ iat: undefined })],
    ['`iat` as text', withClaims({ iat: String(edgeClaims.iat) })],
    ['`iat` true', withClaims({ iat: true })],
    ['no `nbf`', withClaims({ nbf: undefined })],
    ['`nbf` as text', withClaims({ nbf: String(edgeClaims.nbf) })],
    ['no `sub`', withClaims({ sub: undefined })],
    ['`sub` as a number', withClaims({ sub: 1 })],
    ['`sub` of another user than `data`', withClaims({ sub: '2' })],
    ['`sub` in another spelling', withClaims({ sub: '01' })],
    ['a NUL in `sub`', withClaims({ sub: 'bob\0', data: { user: { id: 'bob\0' } } })],
    ['no `jti`', withClaims({ jti: undefined })],
    ['`jti` as a number', withClaims({ jti: 1 })],
    ['`jti` of another length', withClaims({ jti: 'AAAA' })],
    ['no `sid`', withClaims({ sid: undefined })],
    ['`sid` as a number', withClaims({ sid: 1 })],
    ['SQL in `sid`', withClaims({ sid: "' OR 1=1 --AAAAAAAAAAA" })],
    ['no `data`', withClaims({ data: undefined })],
    ['`data` null', withClaims({ data: null })],
    ['`data` as a list', withClaims({ data: [{ user: { id: 1 } }] })],
    ['`data` without a user', withClaims({ data: {} })],
    ['`data` with something else', withClaims({ data: { user: { id: 1 }, role: 'admin' } })],
    ['`data.user` with something else', withClaims({ data: { user: { id: 1, role: 'admin' } } })],
    ['`data.user.id` null', withClaims({ sub: 'null', data: { user: { id: null } } })],
    ['`data.user.id` with a fraction', withClaims({ sub: '1.5', data: { user: { id: 1.5 } } })],
    ['`data.user.id` empty', withClaims({ sub: '', data: { user: { id: '' } } })],
    ['no `iss`', withClaims({ iss: undefined })],
    ['another issuer', withClaims({ iss: 'https://other.example.com' })],
    ['the issuer with a slash', withClaims({ iss: `${testIssuer}/` })],
    ['the issuer in a list', withClaims({ iss: [testIssuer] })],
    ['another issuer, and expired', withClaims({ iss: 'https://other.example.com', exp: 1 })],
    ['no `aud`', withClaims({ aud: undefined })],
    ['another audience', withClaims({ aud: 'photos' })],
    ['the audience in a list', withClaims({ aud: ['reports'] })],
    ['the audience among others', withClaims({ aud: ['photos', 'reports'] })],
    ['the audience in capitals', withClaims({ aud: 'REPORTS' })],
  ]),
  ...endAt('expiry', [['expired this second', withClaims({ exp: startSecond })]]),
  ...endAt('start', [
    ['issued 61 s ahead', withClaims({ iat: startSecond + 61 })],
    ['valid in 61 s', withClaims({ nbf: startSecond + 61 })],
  ]),
]
