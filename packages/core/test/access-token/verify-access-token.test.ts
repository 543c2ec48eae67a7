import { describe, expect, it } from 'vitest'
import { createAccessTokenVerifier, type VerifierOptions } from '../../src/access-token/verify-access-token.js'
import { jsonwebtokenSigner } from '../../src/keys/jsonwebtoken-signer.js'
import { createKeyRing } from '../../src/keys/key-ring.js'
import { readSecret } from '../../src/keys/read-secret.js'
import { forgeToken, goodClaims, signParts, startSecond, toPart, withStrayBits } from '../support/forged-token.js'
import { testIssuer, testSecret } from '../support/test-service.js'
import { startOfTests } from '../support/test-system.js'

const key = readSecret('secret', testSecret, 'HS256')
const { kid } = key.signing
const goodHeader = { alg: 'HS256', typ: 'at+jwt', kid }
const otherSecret = 'Z9_another-secret-of-a-good-length-4711'

/** A verifier that counts how often a token got as far as the signature check. */
const createCountingVerifier = (options: Partial<VerifierOptions> = {}) => {
  let signatureChecks = 0
  const verify = createAccessTokenVerifier({
    keyRing: createKeyRing(key),
    signer: {
      ...jsonwebtokenSigner,
      isSignedBy: (token, signingKey) => {
        signatureChecks += 1
        return jsonwebtokenSigner.isSignedBy(token, signingKey)
      },
    },
    issuer: testIssuer,
    audience: undefined,
    clockToleranceSeconds: 0,
    ...options,
  })
  return { verify, countSignatureChecks: () => signatureChecks }
}

const withHeader = (header: object | string | Uint8Array): string => forgeToken({ header, payload: goodClaims })
const withPayload = (payload: object | string | Uint8Array): string => forgeToken({ header: goodHeader, payload })
const without = (claim: string): object =>
  Object.fromEntries(Object.entries(goodClaims).filter(([name]) => name !== claim))
/** The good payload's JSON with one more member written before its closing brace. */
const withMember = (member: string): string => `${JSON.stringify(goodClaims).slice(0, -1)},${member}}`
/** The good payload's JSON with a claim's value spelled as given. */
const spelled = (claim: string, value: string): string =>
  `${JSON.stringify(without(claim)).slice(0, -1)},"${claim}":${value}}`

const good = withPayload(goodClaims)
const [goodHeaderPart = '', goodPayloadPart = '', goodSignature = ''] = good.split('.')
const bom = Buffer.from([0xef, 0xbb, 0xbf])
const illFormedUtf8 = Buffer.from([0xc3, 0x28])

/** The longest filler whose token stays within a length, or one character over it. */
const tokenAround = (length: number, over: boolean): string => {
  let filler = ''
  let token = good
  for (;;) {
    filler += 'x'.repeat(Math.max(1, Math.floor((length - token.length) / 2)))
    const next = withPayload({ ...goodClaims, filler })
    if (next.length > length) return over ? next : token
    token = next
  }
}

describe('a good access token', () => {
  it('is let in with its claims', () => {
    const { verify } = createCountingVerifier()
    expect(verify(good, startOfTests)).toEqual(goodClaims)
  })

  it('may carry claims of the host', () => {
    const { verify } = createCountingVerifier()
    const claims = { ...goodClaims, roles: ['admin'], tenant: { id: 7, name: 'Ünïcode' } }
    expect(verify(withPayload(claims), startOfTests)).toEqual(claims)
  })

  it('may name its user by text', () => {
    const { verify } = createCountingVerifier()
    const claims = { ...goodClaims, sub: 'bob-2', data: { user: { id: 'bob-2' } } }
    expect(verify(withPayload(claims), startOfTests)).toEqual(claims)
  })

  it('may be as long as 8,192 characters', () => {
    const { verify } = createCountingVerifier()
    const token = tokenAround(8_192, false)
    expect(token.length).toBeGreaterThan(8_188)
    expect(verify(token, startOfTests)).toMatchObject(goodClaims)
  })

  it('may repeat one name in different objects, and in a string', () => {
    const { verify } = createCountingVerifier()
    const claims = { ...goodClaims, a: { name: 1 }, b: [{ name: 2 }, { name: 3 }], name: '"name":1,"name":2' }
    expect(verify(withPayload(claims), startOfTests)).toEqual(claims)
  })
})

describe('an access token that fails the parse is refused before jsonwebtoken sees it:', () => {
  it.each([
    ['empty text', ''],
    ['two dots', '..'],
    ['two parts', `${goodHeaderPart}.${goodPayloadPart}`],
    ['four parts', `${good}.${goodSignature}`],
    ['five parts', `${good}.${goodSignature}.${goodSignature}`],
    ['an empty header', signParts('', goodPayloadPart)],
    ['an empty payload', signParts(goodHeaderPart, '')],
    ['an empty signature', `${goodHeaderPart}.${goodPayloadPart}.`],
    ['alg none without a signature', `${toPart({ ...goodHeader, alg: 'none' })}.${goodPayloadPart}.`],
    ['a space before', ` ${good}`],
    ['a space behind', `${good} `],
    ['a line feed behind', `${good}\n`],
    ['a line feed within', signParts(goodHeaderPart, `${goodPayloadPart.slice(0, 8)}\n${goodPayloadPart.slice(8)}`)],
    ['more than 8,192 characters', tokenAround(8_192, true)],
    ['a padded header', signParts(`${goodHeaderPart}=`, goodPayloadPart)],
    ['a padded payload', signParts(goodHeaderPart, `${goodPayloadPart}==`)],
    ['a padded signature', `${good}=`],
    ['the other alphabet', signParts(goodHeaderPart, toPart(spelled('iss', '"~~~???"')).replace(/[-_]/g, '+'))],
    ['stray bits in the header', signParts(withStrayBits(toPart(`${JSON.stringify(goodHeader)} `)), goodPayloadPart)],
    ['stray bits in the payload', signParts(goodHeaderPart, withStrayBits(toPart(withMember('"stray":"bits"'))))],
    ['stray bits in the signature', `${goodHeaderPart}.${goodPayloadPart}.${withStrayBits(goodSignature)}`],
    ['a header that is no JSON', withHeader('{"alg":"HS256",')],
    ['a header that is a list', withHeader([goodHeader])],
    ['a header that is a string', withHeader('"at+jwt"')],
    ['a header that is null', withHeader('null')],
    ['a header after a byte order mark', withHeader(Buffer.concat([bom, Buffer.from(JSON.stringify(goodHeader))]))],
    ['a header in ill-formed UTF-8', withHeader(Buffer.concat([Buffer.from('{"kid":"'), illFormedUtf8]))],
    [
      'a header member in ill-formed UTF-8',
      withHeader(Buffer.from(`{"alg":"HS256","typ":"at+jwt","kid":"\xff"}`, 'latin1')),
    ],
    ['crit', withHeader({ ...goodHeader, crit: ['exp'], exp: 1 })],
    ['an empty crit', withHeader({ ...goodHeader, crit: [] })],
    ['b64 false', withHeader({ ...goodHeader, b64: false, crit: ['b64'] })],
    ['zip', withHeader({ ...goodHeader, zip: 'DEF' })],
    ['jku', withHeader({ ...goodHeader, jku: 'https://attacker.example/keys' })],
    ['jwk', withHeader({ ...goodHeader, jwk: { kty: 'oct', k: 'AAAA' } })],
    ['x5u', withHeader({ ...goodHeader, x5u: 'https://attacker.example/cert' })],
    ['cty', withHeader({ ...goodHeader, cty: 'JWT' })],
    ['an extra header member', withHeader({ ...goodHeader, extra: 1 })],
    ['typ JWT', withHeader({ ...goodHeader, typ: 'JWT' })],
    ['typ in other case', withHeader({ ...goodHeader, typ: 'AT+JWT' })],
    ['typ as a list', withHeader({ ...goodHeader, typ: ['at+jwt'] })],
    ['no typ', withHeader({ alg: 'HS256', kid })],
    ['no kid', withHeader({ alg: 'HS256', typ: 'at+jwt' })],
    ['a kid that is a number', withHeader({ ...goodHeader, kid: 1 })],
    ['a kid that is a list', withHeader({ ...goodHeader, kid: [kid] })],
    ['no alg', withHeader({ typ: 'at+jwt', kid })],
    ['an alg that is a list', withHeader({ ...goodHeader, alg: ['HS256'] })],
    ['a header name twice', withHeader(`{"alg":"HS256","alg":"HS256","typ":"at+jwt","kid":"${kid}"}`)],
    [
      'a header name twice, once escaped',
      withHeader(`{"alg":"HS256","\\u0061lg":"HS256","typ":"at+jwt","kid":"${kid}"}`),
    ],
    ['a header name twice, with space', withHeader(`{"alg":"none","alg" : "HS256","typ":"at+jwt","kid":"${kid}"}`)],
    ['__proto__ in the header', withHeader(`{"alg":"HS256","typ":"at+jwt","__proto__":{"kid":"${kid}"}}`)],
    [
      'an escaped __proto__ in the header',
      withHeader(`{"alg":"HS256","typ":"at+jwt","kid":"${kid}","__pr\\u006fto__":1}`),
    ],
  ])('%s', (_, token) => {
    const { verify, countSignatureChecks } = createCountingVerifier()
    expect(() => verify(token, startOfTests)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Invalid token.' }),
    )
    expect(countSignatureChecks()).toBe(0)
  })
})

describe('an access token of no key or algorithm of ours is refused as badly signed, before jsonwebtoken sees it:', () => {
  it.each([
    ['alg none beside a signature', withHeader({ ...goodHeader, alg: 'none' })],
    ['RS256', withHeader({ ...goodHeader, alg: 'RS256' })],
    ['HS512 with our key', forgeToken({ header: { ...goodHeader, alg: 'HS512' }, payload: goodClaims }, 'sha512')],
    ['HS384 with our key', forgeToken({ header: { ...goodHeader, alg: 'HS384' }, payload: goodClaims }, 'sha384')],
    ['alg in other case', withHeader({ ...goodHeader, alg: 'hs256' })],
    ['an unknown kid', withHeader({ ...goodHeader, kid: 'AAAAAAAAAAAAAAAA' })],
    ['an empty kid', withHeader({ ...goodHeader, kid: '' })],
    ['a kid that every object has', withHeader({ ...goodHeader, kid: 'constructor' })],
  ])('%s', (_, token) => {
    const { verify, countSignatureChecks } = createCountingVerifier()
    expect(() => verify(token, startOfTests)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Signature verification failed' }),
    )
    expect(countSignatureChecks()).toBe(0)
  })
})

describe('an access token whose signature is not good is refused as such:', () => {
  const flipped = `${goodSignature.startsWith('A') ? 'B' : 'A'}${goodSignature.slice(1)}`
  const changedPayload = toPart({ ...goodClaims, sub: '2', data: { user: { id: 2 } } })

  it.each([
    ['signed with another key', forgeToken({ header: goodHeader, payload: goodClaims }, 'sha256', otherSecret)],
    ['signed with the key of the algorithm below', forgeToken({ header: goodHeader, payload: goodClaims }, 'sha384')],
    ['another first character', `${goodHeaderPart}.${goodPayloadPart}.${flipped}`],
    ['cut short', `${goodHeaderPart}.${goodPayloadPart}.${goodSignature.slice(0, -3)}`],
    ['one byte long', `${goodHeaderPart}.${goodPayloadPart}.AA`],
    ['another payload', `${goodHeaderPart}.${changedPayload}.${goodSignature}`],
    ['expired besides', forgeToken({ header: goodHeader, payload: { ...goodClaims, exp: 1 } }, 'sha256', otherSecret)],
    ['claims ill-typed besides', forgeToken({ header: goodHeader, payload: '[]' }, 'sha256', otherSecret)],
  ])('%s', (_, token) => {
    const { verify } = createCountingVerifier()
    expect(() => verify(token, startOfTests)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Signature verification failed' }),
    )
  })
})

describe('a genuinely signed access token is refused for its claims:', () => {
  it.each([
    ['no JSON', withPayload('{"iss":')],
    ['a list', withPayload([goodClaims])],
    ['a string', withPayload('"claims"')],
    ['a number', withPayload('1')],
    ['null', withPayload('null')],
    ['an empty object', withPayload({})],
    ['a byte order mark before', withPayload(Buffer.concat([bom, Buffer.from(JSON.stringify(goodClaims))]))],
    ['ill-formed UTF-8', withPayload(Buffer.from(withMember('"name":"\xff"'), 'latin1'))],
    ['a name twice', withPayload(withMember('"sub":"1"'))],
    ['a name twice, once escaped', withPayload(withMember('"s\\u0075b":"2"'))],
    ['a name twice within', withPayload(spelled('data', '{"user":{"id":1,"id":1}}'))],
    ['a name twice in an object of a list', withPayload(withMember('"list":[{"a":1,"a":2}]'))],
    ['a host claim twice', withPayload(withMember('"role":"user","role":"admin"'))],
    ['__proto__', withPayload(withMember('"__proto__":{"sub":"2"}'))],
    ['an escaped __proto__', withPayload(withMember('"\\u005f_proto__":1'))],
    ['__proto__ within', withPayload(withMember('"tenant":{"__proto__":1}'))],
    ['no exp', withPayload(without('exp'))],
    ['exp as text', withPayload({ ...goodClaims, exp: String(goodClaims.exp) })],
    ['exp null', withPayload({ ...goodClaims, exp: null })],
    ['exp with a fraction', withPayload({ ...goodClaims, exp: goodClaims.exp + 0.5 })],
    ['exp 1e400', withPayload(spelled('exp', '1e400'))],
    ['exp past the last date', withPayload({ ...goodClaims, exp: 253_402_300_800 })],
    ['exp in milliseconds', withPayload({ ...goodClaims, exp: goodClaims.exp * 1_000 })],
    ['exp negative', withPayload({ ...goodClaims, exp: -1 })],
    ['exp as a list', withPayload({ ...goodClaims, exp: [goodClaims.exp] })],
    ['no iat', withPayload(without('iat'))],
    ['iat as text', withPayload({ ...goodClaims, iat: String(goodClaims.iat) })],
    ['iat true', withPayload({ ...goodClaims, iat: true })],
    ['no nbf', withPayload(without('nbf'))],
    ['nbf as text', withPayload({ ...goodClaims, nbf: String(goodClaims.nbf) })],
    ['no sub', withPayload(without('sub'))],
    ['sub as a number', withPayload({ ...goodClaims, sub: 1 })],
    ['sub of another user than data', withPayload({ ...goodClaims, sub: '2' })],
    ['sub in another spelling than data', withPayload({ ...goodClaims, sub: '01' })],
    ['no jti', withPayload(without('jti'))],
    ['jti as a number', withPayload({ ...goodClaims, jti: 1 })],
    ['jti of another length', withPayload({ ...goodClaims, jti: 'AAAA' })],
    ['no sid', withPayload(without('sid'))],
    ['sid as a number', withPayload({ ...goodClaims, sid: 1 })],
    ['sid with another alphabet', withPayload({ ...goodClaims, sid: "' OR 1=1 --AAAAAAAAAAA" })],
    ['no data', withPayload(without('data'))],
    ['data null', withPayload({ ...goodClaims, data: null })],
    ['data as a list', withPayload({ ...goodClaims, data: [{ user: { id: 1 } }] })],
    ['data without a user', withPayload({ ...goodClaims, data: {} })],
    ['data with something else', withPayload({ ...goodClaims, data: { user: { id: 1 }, role: 'admin' } })],
    ['data.user with something else', withPayload({ ...goodClaims, data: { user: { id: 1, role: 'admin' } } })],
    ['data.user.id null', withPayload({ ...goodClaims, sub: 'null', data: { user: { id: null } } })],
    ['data.user.id with a fraction', withPayload({ ...goodClaims, sub: '1.5', data: { user: { id: 1.5 } } })],
    ['data.user.id empty', withPayload({ ...goodClaims, sub: '', data: { user: { id: '' } } })],
    ['no iss', withPayload(without('iss'))],
    ['another issuer', withPayload({ ...goodClaims, iss: 'https://other.example.com' })],
    ['the issuer with a slash', withPayload({ ...goodClaims, iss: `${testIssuer}/` })],
    ['the issuer in a list', withPayload({ ...goodClaims, iss: [testIssuer] })],
    ['an audience where none is configured', withPayload({ ...goodClaims, aud: 'reports' })],
    ['an audience of null', withPayload({ ...goodClaims, aud: null })],
    ['a list of audiences', withPayload({ ...goodClaims, aud: ['reports'] })],
    ['another issuer, and expired', withPayload({ ...goodClaims, iss: 'https://other.example.com', exp: 1 })],
  ])('%s', (_, token) => {
    const { verify, countSignatureChecks } = createCountingVerifier()
    expect(() => verify(token, startOfTests)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Invalid token.' }),
    )
    expect(countSignatureChecks()).toBe(1)
  })
})

describe('a configured audience', () => {
  it.each([
    [undefined, false],
    ['other', false],
    [['reports'], false],
    ['REPORTS', false],
    ['reports', true],
  ])('lets a token with the audience %j in: %s', (aud, isLetIn) => {
    const { verify } = createCountingVerifier({ audience: 'reports' })
    const token = withPayload({ ...goodClaims, aud })
    if (isLetIn) expect(verify(token, startOfTests)).toMatchObject({ aud: 'reports' })
    else expect(() => verify(token, startOfTests)).toThrow('Invalid token.')
  })
})

describe('the times of an access token', () => {
  it.each([
    ['nbf', 60, 0, true],
    ['nbf', 61, 0, false],
    ['nbf', 61, 999, false],
    ['nbf', 61, 1_000, true],
    ['iat', 60, 0, true],
    ['iat', 61, 0, false],
    ['iat', 61, 999, false],
    ['iat', 61, 1_000, true],
  ])('let %s lie %i s after the start at %i ms: %s', (claim, aheadSeconds, nowMs, isLetIn) => {
    const { verify } = createCountingVerifier()
    const token = withPayload({ ...goodClaims, [claim]: startSecond + aheadSeconds })
    if (isLetIn) expect(verify(token, startOfTests + nowMs)).toMatchObject({ sid: goodClaims.sid })
    else {
      expect(() => verify(token, startOfTests + nowMs)).toThrow(
        expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Invalid token.' }),
      )
    }
  })

  it.each([
    [-1, 0, true],
    [0, 0, false],
    [0, 1, true],
    [999, 1, true],
    [1_000, 1, false],
    [59_999, 60, true],
    [60_000, 60, false],
  ])('let it in %i ms after exp with a tolerance of %i s: %s', (afterExpMs, clockToleranceSeconds, isLetIn) => {
    const { verify } = createCountingVerifier({ clockToleranceSeconds })
    const now = goodClaims.exp * 1_000 + afterExpMs
    if (isLetIn) expect(verify(good, now)).toEqual(goodClaims)
    else {
      expect(() => verify(good, now)).toThrow(
        expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Expired token' }),
      )
    }
  })

  it('do not move nbf and iat by the tolerance', () => {
    const { verify } = createCountingVerifier({ clockToleranceSeconds: 60 })
    const token = withPayload({ ...goodClaims, nbf: startSecond + 61 })
    expect(() => verify(token, startOfTests)).toThrow('Invalid token.')
  })
})

describe('the error of a refused access token', () => {
  it.each([
    ['malformed', `${good}.${goodSignature}`],
    ['badly signed', forgeToken({ header: goodHeader, payload: goodClaims }, 'sha256', otherSecret)],
    ['of another issuer', withPayload({ ...goodClaims, iss: 'https://other.example.com' })],
    ['expired', withPayload({ ...goodClaims, exp: startSecond })],
  ])('holds no part of a token that is %s', (_, token) => {
    const { verify } = createCountingVerifier()
    let text = ''
    try {
      verify(token, startOfTests)
    } catch (error) {
      text = `${String(error)} ${JSON.stringify(error)}`
    }
    expect(text).toContain('jwt_auth_invalid_token')
    for (const part of token.split('.')) expect(text).not.toContain(part)
    expect(text).not.toContain('other.example.com')
  })
})
