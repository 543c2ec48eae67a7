import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { createProver, signProof } from '@jwt-auth/test-support/dpop-prover'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { createDpop } from '../../src/dpop/check-proof.js'
import { type DpopOptions, readDpop } from '../../src/dpop/dpop-options.js'
import { createNonces } from '../../src/dpop/nonces.js'
import { createProofParser } from '../../src/dpop/proof.js'
import { isAuthError } from '../../src/errors/auth-error.js'
import { testKeys } from '../support/test-keys.js'

const secrets = [Buffer.alloc(32, 1)] as const
const nonce = createNonces(secrets).issue(startOfTests)
const prover = createProver()
const path = '/jwt-auth/v1/token'
const claims = { htm: 'POST', htu: `https://api.example.com${path}`, iat: startOfTests / 1_000, nonce }
const accessToken = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU'

const createCheck = (options: Partial<DpopOptions> = {}) => {
  const system = createTestSystem()
  const policy = readDpop({ bind: 'all-tokens', ...options }, 'https://api.example.com/issuer')
  if (policy === undefined) throw new Error('no policy')
  const faults: string[] = []
  const { checkProof } = createDpop(policy, secrets, { ...system, reportFault: (message) => faults.push(message) })
  return { system, checkProof, faults }
}

/** Returns the thumbprint that a proof shows, or the detail of its refusal. */
const checkText = (
  proof: string | undefined,
  { method = 'POST', at = path, token = '', options = {} } = {},
): string => {
  const { checkProof } = createCheck(options)
  try {
    return checkProof({ proof, method, path: at }, token === '' ? undefined : token).thumbprint
  } catch (error) {
    if (!isAuthError(error)) throw error
    expect(error.code).toBe(error.dpopNonce === undefined ? 'jwt_auth_invalid_dpop_proof' : 'jwt_auth_use_dpop_nonce')
    return error.detail?.replace('the DPoP proof was refused: ', '') ?? error.code
  }
}

const prove = (changes: object = {}, header: Readonly<Record<string, unknown>> = {}): string =>
  prover.prove({ ...claims, ...changes }, header)

describe('a valid proof', () => {
  it.each(['ES256', 'EdDSA'] as const)('of %s shows the thumbprint of its key', (algorithm) => {
    const { prove, thumbprint } = createProver(algorithm)
    expect(checkText(prove(claims))).toBe(thumbprint)
  })

  it('names the access token with which it is sent', () => {
    expect(checkText(prove({ accessToken }), { token: accessToken })).toBe(prover.thumbprint)
  })

  it.each([
    ['with a query and a fragment', 'https://api.example.com/jwt-auth/v1/token?a=b#c'],
    ['with the scheme and the host in capitals', 'HTTPS://API.EXAMPLE.COM/jwt-auth/v1/token'],
    ['with the default port', 'https://api.example.com:443/jwt-auth/v1/token'],
    ['with dot segments that lead to it', 'https://api.example.com/jwt-auth/./v1/x/../token'],
  ])('may have its URL %s', (_, htu) => {
    expect(checkText(prove({ htu }))).toBe(prover.thumbprint)
  })

  it('may have the path behind a public URL with a prefix', () => {
    const options = { publicUrls: ['https://a.example', 'https://b.example:8443/api/'] }
    expect(checkText(prove({ htu: `https://b.example:8443/api${path}` }), { options })).toBe(prover.thumbprint)
    expect(checkText(prove({ htu: `https://b.example:8443${path}` }), { options })).toContain('`htu`')
    expect(checkText(prove(), { options })).toContain('`htu`')
  })

  it('may be from a clock that is a minute ahead or behind', () => {
    for (const drift of [-60, 60]) expect(checkText(prove({ iat: claims.iat + drift }))).toBe(prover.thumbprint)
  })

  it('may have a public JWK with other public members, and other members in its header', () => {
    const jwk = { ...prover.jwk, key_ops: ['verify'], ext: true, alg: 'ES256', use: 'sig', kid: 'a' }
    expect(checkText(prove({}, { jwk, kid: 'b' }))).toBe(prover.thumbprint)
  })
})

const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' })
const rsa = createPublicKey(testKeys.rsa).export({ format: 'jwk' })
const privateJwk = prover.privateKey.export({ format: 'jwk' })
const { x = '' } = privateJwk

describe('a proof is refused', () => {
  const malformed = 'it is not one compact JWS, or too long'
  const otherAlgorithm = 'its `alg` is not one of ES256, EdDSA'
  const unsuitable = 'its `jwk` is no public key for ES256'
  const forged = 'its signature is not valid'
  const noClaims = 'its claims are no JSON object'
  const otherTime = 'its `iat` is more than 60 seconds from the time of this server'

  it.each([
    ['that is missing', undefined, 'the header DPoP is missing'],
    ['that is empty', '', malformed],
    ['that was sent twice', `${prove()}, ${prove()}`, malformed],
    ['that is longer than 4,096 characters', prove({ more: 'x'.repeat(4_000) }), malformed],
    ['with a signature of another encoding', `${prove()}=`, malformed],
    ['with another type', prove({}, { typ: 'JWT' }), 'its `typ` is not dpop+jwt'],
    ['without a type', prove({}, { typ: undefined }), 'its `typ` is not dpop+jwt'],
    ['with the algorithm none', prove({}, { alg: 'none' }), otherAlgorithm],
    ['with a symmetric algorithm', prove({}, { alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } }), otherAlgorithm],
    ['with RSA', prove({}, { alg: 'RS256', jwk: rsa }), otherAlgorithm],
    ['with a critical extension', prove({}, { crit: ['b64'], b64: false }), 'it has a critical extension'],
    ['without a JWK', prove({}, { jwk: undefined }), 'its `jwk` is no object'],
    ['with a private JWK', prove({}, { jwk: privateJwk }), 'its `jwk` is a private key'],
    ['with a secret beside its JWK', prove({}, { jwk: { ...prover.jwk, k: 'AAAA' } }), 'its `jwk` is a private key'],
    ['with a JWK of another curve', prove({}, { jwk: p384 }), unsuitable],
    ['with a JWK of another type', prove({}, { jwk: rsa }), unsuitable],
    ['with a JWK for another algorithm', prove({}, { alg: 'EdDSA' }), 'its `jwk` is no public key for EdDSA'],
    ['with a JWK for encryption', prove({}, { jwk: { ...prover.jwk, use: 'enc' } }), unsuitable],
    ['with a point off the curve', prove({}, { jwk: { ...prover.jwk, y: x } }), unsuitable],
    ['with a padded JWK', prove({}, { jwk: { ...prover.jwk, x: `${x}=` } }), unsuitable],
    [
      'with a JWK in other spelling',
      prove({}, { jwk: { ...prover.jwk, x: `${x.slice(0, -1)}${nextOf(x)}` } }),
      unsuitable,
    ],
    ['with the signature of another key', createProver().prove(claims, { jwk: prover.jwk }), forged],
    ['with a signature in DER', toDer(prove()), forged],
    ['with claims that are no object', signProof({ header: headerOf(), payload: '[]' }, prover.privateKey), noClaims],
    [
      'with two claims of one name',
      signProof({ header: headerOf(), payload: '{"jti":"a","jti":"b"}' }, prover.privateKey),
      noClaims,
    ],
    ['for another method', prove({ htm: 'GET' }), 'its `htm` is not the method of the request'],
    ['for the method in small letters', prove({ htm: 'post' }), 'its `htm` is not the method of the request'],
    ['from more than a minute ago', prove({ iat: claims.iat - 61 }), otherTime],
    ['from more than a minute ahead', prove({ iat: claims.iat + 61 }), otherTime],
    ['with text for a time', prove({ iat: String(claims.iat) }), otherTime],
    ['without a time', prove({ iat: undefined }), otherTime],
    ['without an id', prove({ jti: undefined }), 'it has no `jti`'],
    ['with an empty id', prove({ jti: '' }), 'it has no `jti`'],
    ['with a number as its id', prove({ jti: 1 }), 'it has no `jti`'],
  ])('%s', (_, proof, reason) => {
    expect(checkText(proof)).toBe(reason)
  })

  it.each([
    ['another path', '/jwt-auth/v1/refresh'],
    ['the path in capitals', '/jwt-auth/v1/TOKEN'],
    ['a slash at the end', '/jwt-auth/v1/token/'],
    ['two slashes', '/jwt-auth//v1/token'],
    ['an encoded slash', '/jwt-auth/v1%2Ftoken'],
    ['an encoded letter', '/jwt-auth/v1/%74oken'],
    ['dot segments that lead elsewhere', '/jwt-auth/v1/token/..'],
    ['encoded dot segments that lead elsewhere', '/jwt-auth/v1/token/%2e%2e/x'],
    ['no path', ''],
  ])('for %s', (_, other) => {
    const reason = checkText(prove({ htu: `https://api.example.com${other}` }))
    expect(reason).toBe(
      'its `htu` is not the URL of the request: compare `dpop.publicUrls` with the URL that clients use',
    )
  })

  it.each([
    ['another host', 'https://evil.example'],
    ['another port', 'https://api.example.com:444'],
    ['another scheme', 'http://api.example.com'],
    ['a user', 'https://ann@api.example.com'],
    ['a host in full-width letters', 'https://\uff41pi.example.com'],
    ['a host that starts like it', 'https://api.example.com.evil.example'],
    ['a scheme without slashes', 'https:api.example.com'],
    ['backslashes', String.raw`https:\\api.example.com`],
    ['no origin', ''],
  ])('for a URL with %s', (_, origin) => {
    expect(checkText(prove({ htu: `${origin}${path}` }))).toContain('`htu`')
  })

  it.each([
    ['no URL', undefined],
    ['a number', 1],
    ['a list with its URL', ['https://api.example.com/jwt-auth/v1/token']],
  ])('for %s', (_, htu) => {
    expect(checkText(prove({ htu }))).toContain('`htu`')
  })

  it('for another URL with a report, since the option may be wrong, and for another method without', () => {
    const { checkProof, faults } = createCheck()
    for (const changes of [{ htm: 'GET' }, { htu: `https://www.example.com${path}` }]) {
      expect(() => checkProof({ proof: prove(changes), method: 'POST', path })).toThrow('Invalid DPoP proof.')
    }
    expect(faults).toEqual([expect.stringContaining('compare `dpop.publicUrls` with the URL that clients use')])
  })

  it('for a request whose path a proof for another path would fit only after normalization', () => {
    expect(checkText(prove(), { at: '/jwt-auth/v1/x/../token' })).toContain('`htu`')
    expect(checkText(prove(), { at: '/jwt-auth/v1/%2e/token' })).toContain('`htu`')
  })

  it.each([
    ['is missing', {}],
    ['is of another token', { accessToken: 'another' }],
    ['is the token itself', { ath: accessToken }],
    ['has another encoding', { ath: 'fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo=' }],
  ])('beside an access token if its hash %s', (_, changes) => {
    expect(checkText(prove(changes), { token: accessToken })).toBe('its `ath` is not the hash of the access token')
  })

  it('by its claims before its key is imported and its signature is checked', () => {
    const { x: _, ...jwk } = prover.jwk
    for (const [changes, reason] of [
      [{ nonce: undefined }, 'jwt_auth_use_dpop_nonce'],
      [{ htm: 'GET' }, '`htm`'],
      [{ htu: 'https://evil.example/' }, '`htu`'],
      [{ iat: 1 }, '`iat`'],
      [{ jti: undefined }, '`jti`'],
    ] as const) {
      expect(checkText(prove(changes, { jwk }))).toContain(reason)
    }
    expect(checkText(prove({}, { jwk }), { token: accessToken })).toContain('`ath`')
  })

  it('under a point of small order, for which anybody can sign', () => {
    const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString('base64url')
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: identity }
    const anySignature = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]).toString('base64url')
    const [header = '', payload = ''] = createProver('EdDSA').prove(claims, { jwk }).split('.')
    expect(checkText(`${header}.${payload}.${anySignature}`)).toBe('its `jwk` is no public key for EdDSA')
  })
})

function headerOf(): object {
  return { typ: 'dpop+jwt', alg: 'ES256', jwk: prover.jwk }
}

// The next character has the same bits that count, if the last two bits are unused.
function nextOf(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet.charAt(alphabet.indexOf(text.slice(-1)) + 1)
}

function toDer(proof: string): string {
  const { length } = proof.split('.')[2] ?? ''
  return `${proof.slice(0, -length)}${Buffer.alloc(70, 48).toString('base64url')}`
}

describe('the nonce of a proof', () => {
  it.each([
    ['is missing', undefined],
    ['is of another service', createNonces([Buffer.alloc(32, 2)]).issue(startOfTests)],
    ['is five minutes old', createNonces(secrets).issue(startOfTests - 300_000)],
    ['is more than five seconds ahead', createNonces(secrets).issue(startOfTests + 6_000)],
    ['has another time', nonce.replace(/^\d+/, (time) => String(Number(time) + 1))],
    ['has leading zeros', `0${nonce}`],
    ['is a number', 1],
  ])('is asked for before anything else of the claims if it %s', (_, other) => {
    const { checkProof } = createCheck()
    const proof = prove({ nonce: other, htm: undefined, iat: 1 })
    const error = rejectionOf((async () => checkProof({ proof, method: 'POST', path }))())
    return expect(error).resolves.toMatchObject({ code: 'jwt_auth_use_dpop_nonce', dpopNonce: nonce })
  })

  it('is accepted by an instance with a new service secret while it keeps the former one', () => {
    const other = createNonces([Buffer.alloc(32, 2), ...secrets])
    expect(other.check(nonce, startOfTests)).toBe('fresh')
    expect(other.issue(startOfTests)).not.toBe(nonce)
  })

  it('starts with the time of the server in seconds', () => {
    expect(nonce.split('.')[0]).toBe(String(startOfTests / 1_000))
  })

  it('is replaced in a response in the second half of its life', () => {
    const { checkProof, system } = createCheck()
    const sent: string[] = []
    const check = () => {
      const proof = prove({ iat: Math.floor(system.now() / 1_000) })
      checkProof({ proof, method: 'POST', path, sendNonce: (fresh) => sent.push(fresh) })
    }
    system.advance(149_999)
    check()
    expect(sent).toEqual([])
    system.advance(1)
    check()
    expect(sent).toEqual([createNonces(secrets).issue(system.now())])
  })
})

describe('the proof of a request', () => {
  it('is checked once, however late the next guard runs, and its hash for each access token', () => {
    const { checkProof, system } = createCheck()
    const request = { proof: prove({ accessToken }), method: 'POST', path }
    const checked = checkProof(request)
    checked.use()
    system.advance(600_000)
    expect(checkProof(request, accessToken)).toBe(checked)
    expect(() => checkProof(request, 'another')).toThrow(
      expect.objectContaining({ detail: expect.stringContaining('ath') }),
    )
    expect(() => checkProof({ ...request, method: 'GET' }, accessToken)).toThrow()
  })
})

describe('a proof that was used', () => {
  it('is refused for the next request, also if its bytes differ', () => {
    const { checkProof } = createCheck()
    const request = () => ({ proof: prove({ jti: 'same' }), method: 'POST', path })
    const first = checkProof(request())
    first.use()
    first.use()
    expect(() => checkProof(request()).use()).toThrow(expect.objectContaining({ code: 'jwt_auth_invalid_dpop_proof' }))
  })

  it('does not use up the same id of another key', () => {
    const { checkProof } = createCheck()
    for (const { prove } of [prover, createProver()]) {
      checkProof({ proof: prove({ ...claims, jti: 'same' }), method: 'POST', path }).use()
    }
  })

  it('is remembered as long as it could be accepted', () => {
    const { checkProof, system } = createCheck()
    const use = (jti: string, iat: number) => checkProof({ proof: prove({ jti, iat }), method: 'POST', path }).use()
    system.advance(60_000)
    use('earlier', claims.iat)
    system.advance(59_000)
    use('ahead', claims.iat + 179)
    system.advance(119_000)
    use('later', claims.iat + 238)
    expect(() => use('ahead', claims.iat + 179)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_invalid_dpop_proof' }),
    )
  })
})

// https://www.rfc-editor.org/rfc/rfc9449
describe('the examples of RFC 9449', () => {
  // Section 4.1, figure 2, and section 7.1, figure 12.
  const login =
    'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg'
  const access =
    'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA'

  it('lack only a nonce of this service', () => {
    for (const proof of [login, access]) expect(checkText(proof)).toBe('jwt_auth_use_dpop_nonce')
  })

  it('have valid signatures of the key whose thumbprint is in section 6.1, and the hash of section 7.1', () => {
    const parse = createProofParser()
    for (const proof of [login, access]) {
      expect(parse(proof).verify().thumbprint).toBe('0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I')
    }
    const other = login.replace(/[^.]+$/, access.split('.')[2] ?? '')
    expect(() => parse(other).verify()).toThrow(expect.objectContaining({ code: 'jwt_auth_invalid_dpop_proof' }))
    const { ath } = parse(access).claims
    expect(ath).toBe('fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo')
    expect(parse(prove({ accessToken })).claims).toMatchObject({ ath })
  })
})
