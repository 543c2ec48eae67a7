import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { callUntyped } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { isRocaModulus, readKeyPair } from '../../src/keys/read-key-pair.js'
import { readKeys } from '../../src/keys/read-key-ring.js'
import { toOtherRealm } from '../support/other-realm.js'
import { publishedKeys } from '../support/published-keys.js'
import { makeRsaKey, testKeys, toPem } from '../support/test-keys.js'

const { rsa } = testKeys
const ed25519 = generateKeyPairSync('ed25519').privateKey
const publicOf = (key: KeyObject): KeyObject => createPublicKey(key)
const jwkOf = (key: KeyObject): object => key.export({ format: 'jwk' })
const { p256, otherP256, p384 } = testKeys
const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' }
const { privateKey: cryptoKey } = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])

/** The message of the error, without the address at its end. */
const messageOf = (keys: unknown): string => {
  try {
    readKeys(keys)
  } catch (error) {
    if (error instanceof TypeError) return error.message.replace(/\nSee https:.*$/, '')
    throw error
  }
  throw new Error('The keys were accepted.')
}

const active = (key: unknown, algorithm = 'ES256') => ({ key, algorithm, state: 'active' })
const verify = (key: unknown, algorithm = 'ES256') => ({ key, algorithm, state: 'verify' })

describe('readKeys', () => {
  const forms: readonly (readonly [string, unknown, string])[] = [
    ['a private KeyObject', p256, 'ES256'],
    ['PKCS #8 text', toPem(p256), 'ES256'],
    ['PKCS #8 bytes', Buffer.from(toPem(p256)), 'ES256'],
    ['PKCS #8 bytes of another realm', toOtherRealm(Buffer.from(toPem(p256))), 'ES256'],
    ['PKCS #8 text with CRLF and surrounding space', `\r\n${toPem(p256).replaceAll('\n', '\r\n')}\n`, 'ES256'],
    ['SEC 1 text', p256.export({ type: 'sec1', format: 'pem' }), 'ES256'],
    [
      'SEC 1 text after the parameters of its curve, as from openssl ecparam',
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${p256.export({ type: 'sec1', format: 'pem' })}`,
      'ES256',
    ],
    ['PKCS #1 text', rsa.export({ type: 'pkcs1', format: 'pem' }), 'RS256'],
    ['a JWK', jwkOf(p256), 'ES256'],
    ['a JWK with alg, use and key_ops', { ...jwkOf(p256), alg: 'ES256', use: 'sig', key_ops: ['sign'] }, 'ES256'],
    ['a JWK of RSA', jwkOf(rsa), 'PS512'],
    ['PKCS #8 text of Ed25519', toPem(ed25519), 'EdDSA'],
    ['a JWK of Ed25519', jwkOf(ed25519), 'EdDSA'],
  ]

  it.each(forms)('accepts an active key: %s (%#)', (_, key, algorithm) => {
    const ring = readKeys([active(key, algorithm)])
    expect(ring.active).toMatchObject({ algorithm, signing: { type: 'private' } })
    expect([...ring.keys.values()].map((one) => one.key.type)).toEqual(['public'])
  })

  it.each(['ES256', 'HS256'])('names the fix for the result of generateKeyPairSync as the key (%s)', (algorithm) => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    expect(messageOf([active(pair, algorithm)])).toBe(
      'jwt-auth: option `keys[0].key` is a key pair; pass its `privateKey`, or its `publicKey` for a key that only verifies.',
    )
  })

  it('accepts an active secret in every form, also as a JWK', () => {
    const bytes = Buffer.from(testSecret)
    const forms = [testSecret, bytes, createSecretKey(bytes), { kty: 'oct', k: bytes.toString('base64url') }]
    const kids = forms.map((key) => readKeys([active(key, 'HS256')]).active.kid)
    expect(new Set(kids)).toEqual(new Set(['RrRrVfs1SWR65Oss']))
  })

  it.each([
    ['SPKI text', toPem(publicOf(p256))],
    ['a public KeyObject', publicOf(p256)],
    ['a public JWK', { ...jwkOf(publicOf(p256)), key_ops: ['verify'], kid: 'my label' }],
    ['the private key, whose private half is dropped', toPem(p256)],
  ])('accepts a key that only verifies: %s', (_, key) => {
    const ring = readKeys([active(otherP256), verify(key)])
    const [, second] = ring.keys.values()
    expect(second?.key.type).toBe('public')
    expect(second?.key.equals(publicOf(p256))).toBe(true)
  })
})

describe('the id of a key', () => {
  it('is the thumbprint of RFC 7638, as in its section 3.1', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64t' +
      'Z_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91Cb' +
      'OpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'
    const key = { kty: 'RSA', n, e: 'AQAB', alg: 'RS256', kid: '2011-04-29' }
    const { kid } = readKeyPair('key', key, { algorithm: 'RS256', state: 'verify' })
    expect(kid).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  })

  it('is the thumbprint of RFC 8037, as in its appendix A.2', () => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
    const { kid } = readKeyPair('key', key, { algorithm: 'EdDSA', state: 'verify' })
    expect(kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  })

  it('is the same for the private and the public half in every form', () => {
    const kids = [p256, toPem(p256), publicOf(p256), toPem(publicOf(p256)), jwkOf(publicOf(p256))].map(
      (key) => [...readKeys([active(otherP256), verify(key)]).keys.keys()][1],
    )
    expect(new Set(kids).size).toBe(1)
  })
})

describe('the published form of a key', () => {
  it('contains the public members only', () => {
    const [ec] = readKeys([active({ ...jwkOf(p256), kid: 'mine', ext: true })]).keys.values()
    const [rs] = readKeys([active(rsa, 'RS256')]).keys.values()
    expect(Object.keys(ec?.publicJwk ?? {})).toEqual(['crv', 'kty', 'x', 'y', 'kid', 'alg', 'use'])
    expect(Object.keys(rs?.publicJwk ?? {})).toEqual(['e', 'kty', 'n', 'kid', 'alg', 'use'])
    const [ed] = readKeys([active(ed25519, 'EdDSA')]).keys.values()
    expect(ed?.publicJwk).toEqual({ ...jwkOf(publicOf(ed25519)), alg: 'EdDSA', use: 'sig', kid: ed?.kid })
    expect(ec?.publicJwk).toMatchObject({ ...jwkOf(publicOf(p256)), alg: 'ES256', use: 'sig', kid: ec?.kid })
  })
})

describe('readKeys, with a published private key', () => {
  it.each(publishedKeys.map(({ where, algorithm, key }) => [where, algorithm, key] as const))(
    'rejects the key of %s, even if it only verifies',
    (_, algorithm, key) => {
      const others: Readonly<Record<string, object>> = { RS256: rsa, ES256: p256, ES512: testKeys.p521, EdDSA: ed25519 }
      expect(messageOf([active(others[algorithm], algorithm), verify(key, algorithm)])).toMatch(
        /is an example from a standard or a website, with which anyone can sign; generate your own key\.$/,
      )
    },
  )
})

describe('readKeys, with an unsuitable key', () => {
  const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).privateKey
  const encrypted = p256.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'a pass phrase' })
  const padded = { kty: 'oct', k: Buffer.from(testSecret).toString('base64') }
  const pem = toPem(p256).toString()
  const damagedKeys = [
    ['between quotation marks', `"${pem}"`, 'is between quotation marks; remove them where the key is set.'],
    [
      'whose line breaks are two characters',
      pem.replaceAll('\n', '\\n'),
      "has `\\n` as two characters; pass key.replaceAll('\\\\n', '\\n').",
    ],
    ['in one line', pem.replaceAll('\n', ' '), 'has no line breaks; pass it with its line breaks'],
    ['by the name of its file', './keys/signing.pem', 'is the name of a file; pass the content of the file.'],
    ['in base64', Buffer.from(pem).toString('base64'), "is PEM text in base64; pass Buffer.from(key, 'base64')."],
  ] as const
  const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'

  it.each<[string, unknown, string, string]>([
    ['a public key', publicOf(p256), 'ES256', 'is a public key, but the active key signs; pass its private key, set'],
    ['RSA of 1,024 bits', makeRsaKey(1_024), 'RS256', 'is too weak: it has 1024 bits, and RS256 needs at least 2048'],
    ['RSA with the exponent 3', makeRsaKey(2_048, 3), 'RS256', 'is too weak: its exponent is 3, below 65537'],
    [
      'EC for RS256',
      p256,
      'RS256',
      'is of the type ec, and RS256 needs rsa; keys of the type ec sign with ES256, ES384',
    ],
    ['RSA for ES256', rsa, 'ES256', 'is of the type rsa, and ES256 needs ec; keys of the type rsa sign with RS256'],
    [
      'RSA-PSS for RS256',
      pss,
      'RS256',
      'is of the type rsa-pss, and RS256 needs rsa; a plain RSA key signs with PS256',
    ],
    ['RSA-PSS for PS256', pss, 'PS256', 'is of the type rsa-pss, and PS256 needs rsa; a plain RSA key'],
    [
      'Ed25519',
      ed25519,
      'ES256',
      'is of the type ed25519, and ES256 needs ec; keys of the type ed25519 sign with EdDSA',
    ],
    ['Ed448', generateKeyPairSync('ed448').privateKey, 'EdDSA', 'keys of the type ed448 are not supported'],
    ['X25519', generateKeyPairSync('x25519').privateKey, 'EdDSA', 'is of the type x25519, and EdDSA needs ed25519'],
    ['EC for EdDSA', p256, 'EdDSA', 'is of the type ec, and EdDSA needs ed25519; keys of the type ec sign with ES256'],
    ['another curve', p384, 'ES256', 'is on the curve secp384r1, and ES256 needs P-256; generate a key for ES256 with'],
    [
      'a secret KeyObject',
      createSecretKey(Buffer.from(testSecret)),
      'ES256',
      'is a secret, and ES256 needs a key pair',
    ],
    ['a secret text', testSecret, 'ES256', 'is not a valid key (PEM text); pass the complete key'],
    ['a truncated PEM text', toPem(p256).slice(0, 100), 'ES256', 'is not a valid key (PEM text)'],
    [
      'an encrypted PEM text',
      encrypted,
      'ES256',
      'is encrypted; decrypt it first: createPrivateKey({ key, passphrase })',
    ],
    [
      'a certificate',
      certificate,
      'ES256',
      'is a certificate, whose dates and issuer are not checked; pass its public key',
    ],
    ['a key and its certificate', toPem(p256) + certificate, 'ES256', 'is a private key with a certificate; pass the'],
    ...damagedKeys.map(([how, key, message]): [string, string, string, string] => [how, key, 'ES256', message]),
    ['a CryptoKey', cryptoKey, 'ES256', 'is a CryptoKey; pass `KeyObject.from(key)` of node:crypto.'],
    ['a broken JWK', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, 'ES256', 'is not a valid key (JWK)'],
    [
      'a JWK for encryption',
      { ...jwkOf(p256), use: 'enc' },
      'ES256',
      'is a JWK for another use: its `use`, `alg` or `key_ops` is not that of a key for ES256; pass a key that was',
    ],
    ['a JWK of another algorithm', { ...jwkOf(p256), alg: 'ECDH-ES' }, 'ES256', 'is a JWK for another use'],
    ['a JWK that only verifies', { ...jwkOf(p256), key_ops: ['verify'] }, 'ES256', 'is a JWK for another use'],
    ['a JWK with odd key_ops', { ...jwkOf(p256), key_ops: 'sign' }, 'ES256', 'is a JWK for another use'],
    ['null', null, 'ES256', 'must be PEM text, a KeyObject or a JWK; received null.'],
    ['a short secret', 'short', 'HS256', 'is too weak: it is 5 bytes long'],
    ['a public PEM text for HS256', toPem(publicOf(p256)), 'HS256', 'is a key of a key pair, not a secret; pass it in'],
    ['a JWK of a pair for HS256', jwkOf(p256), 'HS256', 'is a JWK of a key pair, and HS256 needs a secret; set the'],
    ['a JWK whose k is padded', padded, 'HS256', 'is a JWK whose `k` is not base64url; encode it as base64url without'],
    [
      'a private KeyObject for HS256',
      p256,
      'HS256',
      'must be a string, bytes, or a secret KeyObject; received an object.',
    ],
  ])('rejects an active key: %s', (_, key, algorithm, message) => {
    const text = messageOf([active(key, algorithm)])
    expect(text).toContain('jwt-auth: option `keys[0].key` ')
    expect(text).toContain(message)
    expect(text).not.toContain('MIG')
    expect(text).not.toContain(testSecret)
  })

  it.each([
    ['RS256', p256, "'rsa',{modulusLength:3072}"],
    ['ES256', p384, "'ec',{namedCurve:'P-256'}"],
    ['ES512', p384, "'ec',{namedCurve:'P-521'}"],
    ['EdDSA', p256, "'ed25519'"],
  ])('names the command that generates a key for %s', (algorithm, key, parameters) => {
    expect(messageOf([active(key, algorithm)])).toContain(
      `generate a key for ${algorithm} with: node -e "console.log(require('crypto').generateKeyPairSync(${parameters}).privateKey.export(`,
    )
  })

  it.each([
    ['0', '00'.repeat(32)],
    ['0, with the sign bit', `${'00'.repeat(31)}80`],
    ['1', `01${'00'.repeat(31)}`],
    ['-1', `ec${'ff'.repeat(30)}7f`],
    ['p', `ed${'ff'.repeat(30)}7f`],
    ['p + 1', `ee${'ff'.repeat(30)}7f`],
    ['order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['order 8, its negative', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
  ])('rejects an Ed25519 point of small order: y = %s', (_, y) => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(y, 'hex').toString('base64url') }
    expect(messageOf([active(ed25519, 'EdDSA'), verify(key, 'EdDSA')])).toContain(
      'option `keys[1].key` is too weak: it is a point of small order',
    )
  })

  it('rejects a JWK whose private half belongs to another public key', () => {
    const { d } = p256.export({ format: 'jwk' })
    const keys = [active({ ...otherP256.export({ format: 'jwk' }), d })]
    // Node 26 refuses such a key itself.
    expect(() => callUntyped(createTestService, { keys })).toThrow(
      /its public part belongs to another key|is not a valid key \(JWK\)/,
    )
  })

  describe('from the ROCA generator', () => {
    const primorial = 962_947_420_735_983_927_056_946_215_901_134_429_196_419_130_606_213_075_415_963_491_270n
    const power = (exponent: bigint): bigint => {
      let result = 1n
      for (let step = 0n; step < exponent; step += 1n) result = (result * 65_537n) % primorial
      return result
    }
    const factor = (k: bigint, a: bigint): bigint => k * primorial + power(a)

    it('recognises the modulus', () => {
      expect(isRocaModulus(factor(12_345n, 1_001n) * factor(54_321n, 77n))).toBe(true)
      expect(isRocaModulus(factor(12_345n, 1_001n) * factor(54_321n, 77n) + 2n)).toBe(false)
    })

    it('rejects the key', () => {
      const modulus = factor(2n ** 810n + 1n, 1_001n) * factor(2n ** 815n + 1n, 77n)
      const n = Buffer.from(modulus.toString(16).padStart(514, '0'), 'hex')
      const key = { kty: 'RSA', e: 'AQAB', n: n.subarray(n.findIndex((byte) => byte !== 0)).toString('base64url') }
      expect(messageOf([active(rsa, 'RS256'), verify(key, 'RS256')])).toContain(
        'option `keys[1].key` is too weak: its generator is known to make keys that can be factored (ROCA); generate',
      )
    })
  })
})

describe('readKeys, with an invalid list', () => {
  const long = `${testSecret}${testSecret}!`

  it.each<[string, unknown, string]>([
    ['that is no list', { key: p256 }, '`keys` must be a list of { key, algorithm, state }; received an object.'],
    ['that is a key', toPem(p256), '`keys` must be a list of { key, algorithm, state }; received a string.'],
    ['that is empty', [], "`keys` has no active key; set the state 'active' on the key that signs."],
    ['without an active key', [verify(p256)], '`keys` has no active key'],
    [
      'with two active keys',
      [active(p256), active(otherP256)],
      "`keys` has 2 active keys; set the state 'verify' on all",
    ],
    ['with a repeated key', [active(p256), verify(publicOf(p256))], '`keys[1]` repeats `keys[0]`; list each key once'],
    ['with a key under two algorithms', [active(rsa, 'RS256'), verify(rsa, 'PS256')], '`keys[1]` repeats `keys[0]`'],
    [
      'with a secret under two algorithms',
      [active(long, 'HS256'), verify(long, 'HS512')],
      '`keys[1]` repeats `keys[0]`',
    ],
    [
      'with secrets and key pairs',
      [active(p256), verify(testSecret, 'HS256')],
      '`keys[0]` is a key pair, but `keys[1]` is',
    ],
    [
      'with an entry that is no object',
      [active(p256), ''],
      '`keys[1]` must be an object { key, algorithm, state }; rec',
    ],
    [
      'with an unknown member',
      [{ ...active(p256), kid: 'mine' }],
      'keys[0] has no option `kid`; known options: key, alg',
    ],
    [
      'with an unknown state',
      [{ ...active(p256), state: 'retired' }],
      "`keys[0].state` must be 'active' or 'verify'; rec",
    ],
    [
      'without an algorithm',
      [{ key: p256, state: 'active' }],
      '`keys[0].algorithm` must be HS256, HS384, HS512, RS256',
    ],
    ['with `none`', [active(p256, 'none')], '`keys[0].algorithm` must be'],
    ['with an algorithm that every object has', [active(p256, 'constructor')], '`keys[0].algorithm` must be'],
    ['with an algorithm in a list', [{ ...active(p256), algorithm: ['ES256'] }], '`keys[0].algorithm` must be'],
    ['with Ed25519', [active(ed25519, 'Ed25519')], '`keys[0].algorithm` must be'],
  ])('rejects a list %s', (_, keys, message) => {
    expect(messageOf(keys)).toContain(message)
  })
})
