import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { callUntyped, rejectionOf } from '@jwt-auth/test-support/outcome'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError, type KeyEntry, type Signer } from '../../src/index.js'
import { signWithPrivateKey } from '../../src/keys/algorithm.js'
import { testKeys } from '../support/test-keys.js'

/** A fake key management service. It has the private key and responds in a later turn of the event loop. */
const createKms = (privateKey: KeyObject, dsaEncoding: 'der' | 'ieee-p1363' = 'der'): Signer => {
  return async (signingInput, { algorithm }) => {
    await new Promise((resolve) => setImmediate(resolve))
    return algorithm.startsWith('ES')
      ? sign(`sha${algorithm.slice(2)}`, signingInput, { key: privateKey, dsaEncoding })
      : signWithPrivateKey(algorithm, privateKey, Buffer.from(signingInput).toString())
  }
}

/** A signer in JavaScript, which may return anything. */
const returning =
  (json: string): Signer =>
  async () =>
    JSON.parse(json)

const { p256, otherP256, p384, p521 } = testKeys

const remote = (
  signer: Signer,
  { privateKey = p256, algorithm = 'ES256' }: { privateKey?: KeyObject; algorithm?: KeyEntry['algorithm'] } = {},
): KeyEntry => ({ key: createPublicKey(privateKey), algorithm, state: 'active', signer })

const serviceOf = (key: KeyEntry) => createTestService({ keys: [key] })

describe('a service whose active key has a signer', () => {
  it.each([
    ['ES256', p256],
    ['ES384', p384],
    ['ES512', p521],
    ['RS256', testKeys.rsa],
    ['PS256', testKeys.rsa],
    ['EdDSA', generateKeyPairSync('ed25519').privateKey],
  ] as const)('signs the tokens of logins and refreshes with %s', async (algorithm, privateKey) => {
    const { service, login } = serviceOf(remote(createKms(privateKey), { privateKey, algorithm }))
    const { accessToken, refreshToken } = await login()
    expect(await service.authorize(accessToken)).toMatchObject({ userId: ann.id })
    expect(await service.authorize((await service.refresh(refreshToken)).accessToken)).toMatchObject({ userId: ann.id })
  })

  it.each(['der', 'ieee-p1363'] as const)('accepts an ECDSA signature as %s', async (dsaEncoding) => {
    const { service, login } = serviceOf(remote(createKms(p521, dsaEncoding), { privateKey: p521, algorithm: 'ES512' }))
    // Short R and S occur once in 128 signatures.
    for (let round = 0; round < 20; round += 1) {
      expect(await service.authorize((await login()).accessToken)).toMatchObject({ userId: ann.id })
    }
  })

  it('passes the signing input, the key id, the algorithm and the deadline to the signer', async () => {
    const calls: Parameters<Signer>[] = []
    const kms = createKms(p256)
    const { service, login } = serviceOf(
      remote((...call) => {
        calls.push(call)
        return kms(...call)
      }),
    )
    const [{ accessToken }, { keys }] = [await login(), service.jwks()]
    const [[signingInput, call] = []] = calls
    expect(Buffer.from(signingInput ?? []).toString()).toBe(accessToken.slice(0, accessToken.lastIndexOf('.')))
    expect(call).toEqual({ kid: keys[0]?.kid, algorithm: 'ES256', signal: expect.any(AbortSignal) })
  })

  it('replaces the key and its signer with setKeys', async () => {
    const { service, login } = serviceOf(remote(createKms(p256)))
    const { accessToken } = await login()
    service.setKeys([
      remote(createKms(otherP256), { privateKey: otherP256 }),
      { key: createPublicKey(p256), algorithm: 'ES256', state: 'verify' },
    ])
    expect(await service.authorize((await login()).accessToken)).toMatchObject({ userId: ann.id })
    expect(await service.authorize(accessToken)).toMatchObject({ userId: ann.id })
  })
})

describe('a service whose signer fails', () => {
  const throttled = new AuthError('jwt_auth_unavailable', { retryAfterSeconds: 7 })
  const broken = new Error('AccessDeniedException')

  const createFailing = () => {
    let failing: Signer | undefined
    const kms = createKms(p256)
    const test = serviceOf(remote((...call) => (failing ?? kms)(...call)))
    return {
      ...test,
      fail: (next: Signer | undefined) => {
        failing = next
      },
    }
  }

  it.each<[string, Signer, object]>([
    ['an AuthError jwt_auth_unavailable', async () => Promise.reject(throttled), throttled],
    [
      'any other error',
      async () => Promise.reject(broken),
      { code: 'jwt_auth_internal_error', cause: broken, detail: 'signing failed' },
    ],
    [
      'an error that it throws synchronously',
      () => {
        throw broken
      },
      { code: 'jwt_auth_internal_error', cause: broken },
    ],
    [
      'an AuthError that would blame the client',
      async () => Promise.reject(new AuthError('jwt_auth_invalid_refresh_token')),
      { code: 'jwt_auth_internal_error' },
    ],
  ])('fails logins and refreshes and consumes nothing when the signer throws %s', async (_, signer, expected) => {
    const { service, login, fail } = createFailing()
    const { refreshToken } = await login()
    fail(signer)
    expect(await rejectionOf(login())).toMatchObject(expected)
    expect(await rejectionOf(service.refresh(refreshToken))).toMatchObject(expected)
    fail(undefined)
    expect(await service.sessions.list(ann.id)).toHaveLength(1)
    expect(await service.refresh(refreshToken)).toMatchObject({ user: { id: ann.id } })
  })

  it('aborts a slow signer at the deadline with 503 and consumes nothing', async () => {
    const { service, login, fail, system, storage } = createFailing()
    const { refreshToken, sessionId } = await login()
    const before = await storage.findByIds([sessionId])
    const reached: AbortSignal[] = []
    const isReached = new Promise<void>((resolve) => {
      fail((_, { signal }) => {
        reached.push(signal)
        resolve()
        return new Promise(() => {})
      })
    })
    const refresh = rejectionOf(service.refresh(refreshToken))
    await isReached
    expect(system.timers()).toEqual([1_000])
    system.fireTimers()
    expect(await refresh).toMatchObject({ code: 'jwt_auth_unavailable', detail: 'signing failed' })
    expect(reached.map(({ aborted }) => aborted)).toEqual([true])
    expect(await storage.findByIds([sessionId])).toEqual(before)
  })

  it.each<[string, Signer]>([
    ['of another key', createKms(otherP256)],
    ['of another input', async () => sign('sha256', Buffer.from('another'), p256)],
    ['over a digest', async (input) => sign('sha256', sign('sha256', input, p256), p256)],
    ['as text', returning('"text"')],
    ['as null', returning('null')],
    ['as a list of numbers', returning('[1, 2]')],
    ['in broken DER', async (input) => sign('sha256', input, p256).subarray(1)],
    ['with a byte behind it', async (input) => Buffer.concat([sign('sha256', input, p256), Buffer.alloc(1)])],
    ['as an empty list of bytes', async () => new Uint8Array()],
  ])('by a signature %s hands out no token, and names the fix', async (_, signer) => {
    const { login } = serviceOf(remote(signer))
    expect(await rejectionOf(login())).toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: expect.objectContaining({ message: expect.stringContaining('check that the key and the algorithm are') }),
    })
  })
})

describe('createTokenService, with a key that has a signer', () => {
  const kms = createKms(p256)
  const create = (key: object): unknown => callUntyped(createTestService, { keys: [{ ...remote(kms), ...key }] })

  it.each<[string, object, string]>([
    [
      'a private key with a signer',
      { key: p256 },
      'key` is a private key, but `signer` signs; pass its public key, or',
    ],
    ['a public key without a signer', { signer: undefined }, 'key` is a public key'],
    ['a signer that is not a function', { signer: {} }, 'signer` must be a function'],
    [
      'a signer of a key that only verifies',
      { state: 'verify' },
      'signer` applies only to an active public key; omit it',
    ],
    ['a signer of a secret', { key: testSecret, algorithm: 'HS256' }, 'signer` applies only to an active public key'],
  ])('rejects %s', (_, key, message) => {
    expect(() => create(key)).toThrow(TypeError)
    expect(() => create(key)).toThrow(`option \`keys[0].${message}`)
  })
})
