import { forgeToken } from '../forged-token.js'
import { edgeClaims, edgeHeader, endAt, withHeader } from './edge-token.js'

const { kid } = edgeHeader
const bom = Buffer.from([0xef, 0xbb, 0xbf])
const illFormedUtf8 = Buffer.from([0xc3, 0x28])

/** Valid and invalid headers. */
export const headers = [
  ...endAt('accepted', [
    ['members in another order', withHeader({ kid, typ: 'at+jwt', alg: 'HS256' })],
    ['indented JSON', withHeader(JSON.stringify(edgeHeader, null, 2))],
  ]),
  ...endAt('form', [
    ['invalid JSON', withHeader('{"alg":"HS256",')],
    ['an array', withHeader([edgeHeader])],
    ['a string', withHeader('"at+jwt"')],
    ['null', withHeader('null')],
    ['a byte order mark', withHeader(Buffer.concat([bom, Buffer.from(JSON.stringify(edgeHeader))]))],
    ['ill-formed UTF-8', withHeader(Buffer.concat([Buffer.from('{"kid":"'), illFormedUtf8]))],
    ['a `kid` in ill-formed UTF-8', withHeader(Buffer.from('{"alg":"HS256","typ":"at+jwt","kid":"\xff"}', 'latin1'))],
    ['a lone surrogate', withHeader(`{"alg":"HS256","typ":"at+jwt","kid":"\\ud800"}`)],
    ['`crit` that names a member of the header', withHeader({ ...edgeHeader, crit: ['exp'], exp: 1 })],
    ['`crit` that names an unknown member', withHeader({ ...edgeHeader, crit: ['urn:example'], 'urn:example': 1 })],
    ['an empty `crit`', withHeader({ ...edgeHeader, crit: [] })],
    ['`b64` false (RFC 7797)', withHeader({ ...edgeHeader, b64: false, crit: ['b64'] })],
    ['`zip`', withHeader({ ...edgeHeader, zip: 'DEF' })],
    ['`jku`', withHeader({ ...edgeHeader, jku: 'https://attacker.example/keys' })],
    ['`jwk`', withHeader({ ...edgeHeader, jwk: { kty: 'oct', k: 'AAAA' } })],
    ['`x5u`', withHeader({ ...edgeHeader, x5u: 'https://attacker.example/cert' })],
    ['`x5c`', withHeader({ ...edgeHeader, x5c: ['AAAA'] })],
    ['`cty`', withHeader({ ...edgeHeader, cty: 'JWT' })],
    ['an unknown member', withHeader({ ...edgeHeader, extra: 1 })],
    ['`typ` is JWT', withHeader({ ...edgeHeader, typ: 'JWT' })],
    ['`typ` is secevent+jwt', withHeader({ ...edgeHeader, typ: 'secevent+jwt' })],
    ['`typ` in upper case', withHeader({ ...edgeHeader, typ: 'AT+JWT' })],
    ['`typ` is an array', withHeader({ ...edgeHeader, typ: ['at+jwt'] })],
    ['no `typ`', withHeader({ alg: 'HS256', kid })],
    ['no `kid`', withHeader({ alg: 'HS256', typ: 'at+jwt' })],
    ['`kid` is a number', withHeader({ ...edgeHeader, kid: 1 })],
    ['`kid` is an array', withHeader({ ...edgeHeader, kid: [kid] })],
    ['no `alg`', withHeader({ typ: 'at+jwt', kid })],
    ['`alg` is an array', withHeader({ ...edgeHeader, alg: ['HS256'] })],
    ['a duplicate member', withHeader(`{"alg":"HS256","alg":"HS256","typ":"at+jwt","kid":"${kid}"}`)],
    [
      'a duplicate member, one with an escaped name',
      withHeader(`{"alg":"HS256","\\u0061lg":"HS256","typ":"at+jwt","kid":"${kid}"}`),
    ],
    [
      'a duplicate member, one with a space before the colon',
      withHeader(`{"alg":"none","alg" : "HS256","typ":"at+jwt","kid":"${kid}"}`),
    ],
    ['`__proto__`', withHeader(`{"alg":"HS256","typ":"at+jwt","__proto__":{"kid":"${kid}"}}`)],
    ['`__proto__`, escaped', withHeader(`{"alg":"HS256","typ":"at+jwt","kid":"${kid}","__pr\\u006fto__":1}`)],
  ]),
  ...endAt('key', [
    ['`alg` none with a signature', withHeader({ ...edgeHeader, alg: 'none' })],
    ['`alg` RS256', withHeader({ ...edgeHeader, alg: 'RS256' })],
    [
      '`alg` HS512 with the HS256 key',
      forgeToken({ header: { ...edgeHeader, alg: 'HS512' }, payload: edgeClaims }, 'sha512'),
    ],
    [
      '`alg` HS384 with the HS256 key',
      forgeToken({ header: { ...edgeHeader, alg: 'HS384' }, payload: edgeClaims }, 'sha384'),
    ],
    ['`alg` in lower case', withHeader({ ...edgeHeader, alg: 'hs256' })],
    ['`alg` with a trailing NUL', withHeader({ ...edgeHeader, alg: 'HS256\0' })],
    ['an unknown `kid`', withHeader({ ...edgeHeader, kid: 'AAAAAAAAAAAAAAAA' })],
    ['an empty `kid`', withHeader({ ...edgeHeader, kid: '' })],
    ['`kid` is a path', withHeader({ ...edgeHeader, kid: '../../dev/null' })],
    ['`kid` is `constructor`', withHeader({ ...edgeHeader, kid: 'constructor' })],
  ]),
]
