import { decodeToken, forgeToken, otherSecret } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { openSession, requestRevocation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { startHost } from './support/test-host.js'

const refusal = (code: string, message: string): unknown =>
  expect.objectContaining({ name: 'AuthError', code, message })

describe('verify', () => {
  it('resolves to the user, the session and the claims of a valid token, frozen', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const { claims } = decodeToken(token)
    const auth = await host.auth.verify(token)

    expect(auth).toEqual({ userId: 7, sessionId: claims['sid'], claims })
    expect(Object.isFrozen(auth) && Object.isFrozen(auth.claims)).toBe(true)
  })

  it.each(
    byName([
      { name: 'malformed text', present: () => 'abc', message: 'Invalid token.' },
      { name: 'empty text', present: () => '', message: 'Invalid token.' },
      { name: 'a token with its scheme', present: (token: string) => `Bearer ${token}`, message: 'Invalid token.' },
      {
        name: 'a token with a bad signature',
        present: (token: string) => forgeToken(token, { secret: otherSecret }),
        message: 'Signature verification failed',
      },
      {
        name: 'an expired token',
        present: (token: string) => forgeToken(token, { claims: { exp: 1 } }),
        message: 'Expired token',
      },
    ]),
  )('rejects with jwt_auth_invalid_token for %s', async (_, { present, message }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)

    await expect(host.auth.verify(present(token))).rejects.toStrictEqual(refusal('jwt_auth_invalid_token', message))
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', {}],
  ])('rejects with jwt_auth_invalid_token for a value that is not text: %s', async (_, present) => {
    const { auth } = await startHost(express5Framework)
    const verifying: unknown = Reflect.apply(auth.verify, undefined, [present])

    await expect(verifying).rejects.toStrictEqual(refusal('jwt_auth_invalid_token', 'Invalid token.'))
  })

  it('rejects with jwt_auth_invalid_token when the token was revoked', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    await host.auth.verify(token)
    await requestRevocation(host, token)

    await expect(host.auth.verify(token)).rejects.toStrictEqual(refusal('jwt_auth_invalid_token', 'Invalid token.'))
  })

  it('rejects with jwt_auth_unavailable when storage fails', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.fail(storageFailure, 'findByIds')

    await expect(host.auth.verify(token)).rejects.toStrictEqual(
      refusal('jwt_auth_unavailable', 'Service temporarily unavailable.'),
    )
  })
})
