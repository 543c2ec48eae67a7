import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { openSession, requestRevocation } from './support/flows.js'
import { decodeToken, forgeToken, otherSecret } from './support/forge-token.js'
import { express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'

const refusal = (code: string, message: string): unknown =>
  expect.objectContaining({ name: 'AuthError', code, message })

describe('verify', () => {
  it('tells the user, the session and the claims of a good token, frozen', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const { claims } = decodeToken(token)
    const auth = await host.auth.verify(token)

    expect(auth).toEqual({ userId: 7, sessionId: claims['sid'], claims })
    expect(Object.isFrozen(auth) && Object.isFrozen(auth.claims)).toBe(true)
  })

  it.each(
    byName([
      { name: 'no token', present: () => 'abc', message: 'Invalid token.' },
      { name: 'nothing', present: () => '', message: 'Invalid token.' },
      { name: 'a whole header', present: (token: string) => `Bearer ${token}`, message: 'Invalid token.' },
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

  it.each([undefined, null, 7, {}])('rejects with jwt_auth_invalid_token for %o, which is no text', async (present) => {
    const { auth } = await startHost(express5Framework)
    const verifying: unknown = Reflect.apply(auth.verify, undefined, [present])

    await expect(verifying).rejects.toStrictEqual(refusal('jwt_auth_invalid_token', 'Invalid token.'))
  })

  it('rejects with jwt_auth_invalid_token once the token was revoked', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    await host.auth.verify(token)
    await requestRevocation(host, token)

    await expect(host.auth.verify(token)).rejects.toStrictEqual(refusal('jwt_auth_invalid_token', 'Invalid token.'))
  })

  it('rejects with jwt_auth_unavailable when storage cannot answer', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.breakDown('findByIds')

    await expect(host.auth.verify(token)).rejects.toStrictEqual(
      refusal('jwt_auth_unavailable', 'Service temporarily unavailable.'),
    )
  })
})
