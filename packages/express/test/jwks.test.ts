import { createPublicKey, generateKeyPairSync, type JsonWebKey, verify } from 'node:crypto'
import { parseJson, readMember } from '@jwt-auth/test-support/read-json'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import type { KeyEntry } from '../src/index.js'
import { byName } from './support/by-name.js'
import { expectResponse, methodNotAllowed } from './support/expected-responses.js'
import { openSession } from './support/flows.js'
import { express5Framework, type Framework, frameworks } from './support/frameworks.js'
import { hostResponse, startHost } from './support/test-host.js'

const makeKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const former = makeKey()
const next = makeKey()
const path = '/.well-known/jwks.json'

const entry = (key: KeyEntry['key'], state: KeyEntry['state']): KeyEntry => ({ key, algorithm: 'ES256', state })

const startPairHost = (framework: Framework, keys = [entry(former, 'active')]) =>
  startHost(framework, {
    options: { keys },
    routes: (auth) => [{ path, run: auth.jwks() }],
  })

/** Checks a token as another service would: with nothing but what is published. */
const isVerifiedBy = (keySet: unknown, token: string): boolean => {
  const [header, payload, signature = ''] = token.split('.')
  const { kid } = decodeToken(token).header
  const keys: unknown = readMember(keySet, 'keys')
  const key: unknown = Array.isArray(keys) ? keys.find((one) => readMember(one, 'kid') === kid) : undefined
  if (key === undefined) return false
  // The parsing border: Node refuses what is no JWK.
  const publicKey = createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  return verify('sha256', Buffer.from(`${header}.${payload}`), options, Buffer.from(signature, 'base64url'))
}

describe.each(byName(frameworks))('the public keys on %s', (_, framework) => {
  it('are a JWK Set that may be cached for five minutes, without anything private', async () => {
    const host = await startPairHost(framework, [entry(former, 'active'), entry(next, 'verify')])
    const { status, headers, text } = await host.send('GET', path)
    const shown = (key: typeof former) => {
      const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
      return { crv, kty, x, y, kid: expect.stringMatching(/^[\w-]{43}$/), alg: 'ES256', use: 'sig' }
    }

    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/jwk-set+json',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    })
    expect(headers).not.toHaveProperty('pragma')
    expect(headers).not.toHaveProperty('etag')
    expect(parseJson(text)).toStrictEqual({ keys: [shown(former), shown(next)] })
  })

  it('respond to HEAD without a body, to OPTIONS by the application, and to other methods with 405', async () => {
    const host = await startPairHost(framework)
    const head = await host.send('HEAD', path)

    expect([head.status, head.headers['content-type'], head.text]).toStrictEqual([200, 'application/jwk-set+json', ''])
    expect((await host.send('OPTIONS', path)).text).toBe(hostResponse)
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expectResponse(await host.send(method, path), methodNotAllowed('GET, HEAD'))
    }
  })
})

describe('the public keys', () => {
  it('verify a token to another service', async () => {
    const host = await startPairHost(express5Framework)
    const { token } = await openSession(host)
    const keySet = parseJson((await host.send('GET', path)).text)
    const changed = token.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))

    expect([isVerifiedBy(keySet, token), isVerifiedBy(keySet, changed)]).toStrictEqual([true, false])
  })
})
