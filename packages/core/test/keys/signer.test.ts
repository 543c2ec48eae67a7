import { createHmac, KeyObject } from 'node:crypto'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import type { Algorithm, KeyEntry, Signer, VerificationKey } from '../../src/index.js'
import { jsonwebtokenSigner } from '../../src/keys/jsonwebtoken-signer.js'
import { callUntyped } from '../support/call-untyped.js'
import { cryptoSigner } from '../support/crypto-signer.js'
import { rejectionOf } from '../support/outcome.js'
import { makeRsaKey, testKeys } from '../support/test-keys.js'
import { createTestService, testSecret } from '../support/test-service.js'

const rsa = makeRsaKey()
const longSecret = `${testSecret}/${testSecret}`

const keyOf = (algorithm: Algorithm): KeyEntry['key'] => {
  switch (algorithm) {
    case 'ES256':
      return testKeys.p256
    case 'ES384':
      return testKeys.p384
    case 'ES512':
      return testKeys.p521
    default:
      return algorithm.startsWith('HS') ? longSecret : rsa
  }
}

const serviceOf = (options: Parameters<typeof createTestService>[0]) =>
  createTestService({ secret: undefined, ...options })

const algorithms: readonly Algorithm[] = [
  ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const),
]

describe.each(algorithms)('a service whose active key signs with %s', (algorithm) => {
  const keys: readonly KeyEntry[] = [{ key: keyOf(algorithm), algorithm, state: 'active' }]

  it.each([
    ['jsonwebtoken', jsonwebtokenSigner, 'another library', cryptoSigner],
    ['another library', cryptoSigner, 'jsonwebtoken', jsonwebtokenSigner],
    ['jsonwebtoken', jsonwebtokenSigner, 'jsonwebtoken', jsonwebtokenSigner],
  ])('lets in what %s signed, checked by %3$s', async (_, signing, __, checking) => {
    const storage = memoryStorage({ quiet: true })
    const one = serviceOf({ storage, keys, signer: signing })
    const other = serviceOf({ storage, keys, signer: checking })
    const { accessToken, sessionId } = await one.login()
    expect(JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString()).alg).toBe(algorithm)
    expect(await other.service.authorize(accessToken)).toMatchObject({ userId: 1, sessionId })
  })

  it.each([1, -1])('refuses a signature that is %i bytes longer, and fails at none', async (difference) => {
    const { service, login } = serviceOf({ keys })
    const [header, payload, signature = ''] = (await login()).accessToken.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    const other = difference > 0 ? Buffer.concat([bytes, Buffer.alloc(difference)]) : bytes.subarray(0, difference)
    const token = [header, payload, other.toString('base64url')].join('.')
    expect(await rejectionOf(service.authorize(token))).toMatchObject({
      code: 'jwt_auth_invalid_token',
      message: 'Signature verification failed',
    })
  })
})

describe('the signer of a service', () => {
  it('is given the same key objects for every token: none is imported anew', async () => {
    const seen = new Set<unknown>()
    const signer: Signer = {
      sign: (claims, key, typ) => {
        seen.add(key.key)
        return jsonwebtokenSigner.sign(claims, key, typ)
      },
      isSignedBy: (token, key) => {
        seen.add(key.key)
        return jsonwebtokenSigner.isSignedBy(token, key)
      },
    }
    const { service, login } = serviceOf({
      keys: [{ key: testKeys.p256, algorithm: 'ES256', state: 'active' }],
      signer,
    })
    for (let round = 0; round < 5; round += 1) await service.authorize((await login()).accessToken)
    expect([...seen].map((key) => key instanceof KeyObject && key.type)).toEqual(['private', 'public'])
  })

  it('may be an object that needs itself', async () => {
    class Library implements Signer {
      readonly #inner = cryptoSigner
      sign(claims: object, key: Parameters<Signer['sign']>[1], typ: string) {
        return this.#inner.sign(claims, key, typ)
      }
      isSignedBy(token: string, key: VerificationKey) {
        return this.#inner.isSignedBy(token, key)
      }
    }
    const { service, login } = createTestService({ signer: new Library() })
    expect(await service.authorize((await login()).accessToken)).toMatchObject({ userId: 1 })
  })

  it('that throws fails the request, and lets nobody in', async () => {
    let isBroken = false
    const failure = new Error('the library is broken')
    const signer: Signer = {
      ...jsonwebtokenSigner,
      isSignedBy: (token, key) => {
        if (isBroken) throw failure
        return jsonwebtokenSigner.isSignedBy(token, key)
      },
    }
    const { service, login } = createTestService({ signer })
    const { accessToken } = await login()
    isBroken = true
    expect(await rejectionOf(service.authorize(accessToken))).toBe(failure)
  })

  it.each([
    ['a promise of true', async () => true],
    ['claims', () => ({ sub: '1' })],
    ['1', () => 1],
    ['nothing', () => undefined],
  ])('that comes to answer %s lets nobody in', async (_, answer) => {
    let isWrong = false
    const isSignedBy = (token: string, key: VerificationKey) =>
      isWrong ? answer() : jsonwebtokenSigner.isSignedBy(token, key)
    const create = () => callUntyped(createTestService, { signer: { ...jsonwebtokenSigner, isSignedBy } })
    // The parsing border: the untyped call gives what the typed one would.
    const { service, login } = create() as ReturnType<typeof createTestService>
    const { accessToken } = await login()
    isWrong = true
    expect(await rejectionOf(service.authorize(accessToken))).toMatchObject({
      message: 'Signature verification failed',
    })
  })
})

describe('a signer that is no good', () => {
  const signsSomethingElse = 'option `signer` signs something else'

  it.each<[string, object, string]>([
    ['answers sign with a promise', { sign: async () => 'a.b.c' }, signsSomethingElse],
    [
      'answers isSignedBy with a promise',
      { isSignedBy: async () => true },
      'the active key signs what does not verify',
    ],
    ['finds nothing good', { isSignedBy: () => false }, 'the active key signs what does not verify'],
    ['finds everything good', { isSignedBy: () => true }, 'finds a forged signature good'],
    ['signs other claims', { sign: signWith({ claims: { iat: 1 } }) }, signsSomethingElse],
    ['adds a header member', { sign: signWith({ header: { cty: 'JWT' } }) }, signsSomethingElse],
    ['writes another typ', { sign: signWith({ header: { typ: 'JWT' } }) }, signsSomethingElse],
    ['writes another alg', { sign: signWith({ header: { alg: 'HS512' } }) }, signsSomethingElse],
    ['writes names in Latin-1', { sign: signInLatin1 }, signsSomethingElse],
    ['writes another kid', { sign: signWith({ header: { kid: 'mine' } }) }, signsSomethingElse],
    ['lacks a method', { isSignedBy: undefined }, 'option `signer` lacks the method(s) isSignedBy.'],
  ])('is refused at construction when it %s', (_, methods, message) => {
    const signer = { ...jsonwebtokenSigner, ...methods }
    expect(() => callUntyped(createTestService, { signer })).toThrow(TypeError)
    expect(() => callUntyped(createTestService, { signer })).toThrow(message)
  })
})

/** Signs as the library of somebody who did not read to the end. */
function signWith({ claims, header }: { readonly claims?: object; readonly header?: object }): Signer['sign'] {
  return (given, { key, ...rest }, typ) => {
    const head = Buffer.from(JSON.stringify({ alg: rest.algorithm, typ, kid: rest.kid, ...header })).toString(
      'base64url',
    )
    const body = Buffer.from(JSON.stringify(claims ?? given)).toString('base64url')
    const token = jsonwebtokenSigner.sign(given, { key, ...rest }, typ)
    return `${head}.${body}.${token.slice(token.lastIndexOf('.') + 1)}`
  }
}

/** Signs as a library that takes text for bytes: every character beyond ASCII comes out as another one. */
function signInLatin1(...[claims, key, typ]: Parameters<Signer['sign']>): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value), 'latin1').toString('base64url')
  const input = `${encode({ alg: key.algorithm, typ, kid: key.kid })}.${encode(claims)}`
  return `${input}.${createHmac('sha256', key.key).update(input).digest('base64url')}`
}
