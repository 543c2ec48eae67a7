import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { usageError } from '@jwt-auth/core/internal'
import type { AuthEvent, JwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { attackRoutes, badCredentials, createTestAuth, headersFor } from '../src/index.js'
import type { TestAuthOptions } from '../src/test-auth.js'
import { users } from './support/routes.js'

/** The message for the client of each bad credential, and the reason in the event. */
const reasons = [
  ['no header', 'Authorization header not found.', undefined],
  ['another scheme', 'Authorization header not found.', expect.stringContaining('another scheme')],
  ['two headers', 'Authorization header malformed.', undefined],
  ['garbage', 'Invalid token.', 'malformed token'],
  ['a truncated token', expect.any(String), undefined],
  ['a changed token', 'Signature verification failed', undefined],
  ['a token with alg none', 'Invalid token.', 'malformed token'],
  ['a token of another key', 'Signature verification failed', undefined],
  ['a token of another issuer', 'Invalid token.', 'another issuer'],
  ['a token of another audience', 'Invalid token.', 'another audience'],
  ['a token that is not yet valid', 'Invalid token.', 'not valid yet'],
  ['an expired token', 'Expired token', undefined],
  ['a revoked token', 'Invalid token.', 'the session has ended or expired'],
  ['a token of a deleted session', 'Invalid token.', 'unknown session'],
  ["a token of another user's session", 'Invalid token.', 'the session belongs to another user'],
  ['a refresh token', 'Invalid token.', 'a refresh token: send the access token instead'],
] as const

/** Creates a service with options, which remembers the reasons of rejections. */
const createService = (options: Partial<TestAuthOptions> = {}) => {
  const details: unknown[] = []
  const onEvent = (event: AuthEvent): void => {
    if (event.type === 'request_rejected') details.push(event.detail)
  }
  return { auth: createTestAuth({ users, onError: () => {}, onEvent, ...options }), details }
}

/** Sends every bad credential to a guarded route. */
const sendAll = async (auth: JwtAuth, details: readonly unknown[]) => {
  const app = express().get('/', auth.guard(), (_req, res) => void res.json({}))
  const sent = []
  for (const { name, headers, status, code } of await badCredentials(auth, 1)) {
    const { body } = await request(app).get('/').set(headers).expect(status)
    expect(body, name).toMatchObject({ code, data: { status } })
    sent.push([name, body.message, name === 'a truncated token' ? undefined : details.at(-1)])
  }
  return sent
}

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const services: readonly (readonly [string, Partial<TestAuthOptions>])[] = [
  ['a secret', {}],
  ['several secrets', { secret: [randomBytes(64), randomBytes(64)], algorithm: 'HS512' }],
  ['a key pair', { keys: [{ key: pair.privateKey, algorithm: 'ES256', state: 'active' }] }],
  ['an audience and former issuers', { audience: 'reports', issuer: ['https://auth.test', 'https://auth.test/other'] }],
  ['sessions of one minute and a clock tolerance', { sessionIdleTimeoutSeconds: 60, clockToleranceSeconds: 60 }],
]

describe('badCredentials', () => {
  it.each(services)(
    'resolves to credentials that are refused for one reason each, for a service with %s',
    async (_, options) => {
      const { auth, details } = createService(options)
      expect(await sendAll(auth, details)).toEqual(reasons)
    },
  )

  it('signs with the present keys of a service whose keys were replaced', async () => {
    const { auth, details } = createService()
    auth.setKeys([{ key: randomBytes(48), algorithm: 'HS384', state: 'active' }])
    expect(await sendAll(auth, details)).toEqual(reasons)
  })

  it('stores sessions that are active and belong to the user and the issuer, except for the fault of each', async () => {
    const storage = memoryStorage({ quiet: true })
    const { auth } = createService({ storage })
    const credentials = await badCredentials(auth, 1)
    const findSession = async (name: string) => {
      const header = credentials.find((one) => one.name === name)?.headers['Authorization']
      const { sid } = JSON.parse(Buffer.from(String(header).split('.')[1] ?? '', 'base64url').toString())
      return (await storage.findByIds([sid]))[0]
    }
    const valid = { issuer: 'https://auth.test', userId: 1, endedAt: null }

    for (const name of ['another issuer', 'another audience', 'another key'].map((of) => `a token of ${of}`)) {
      expect(await findSession(name), name).toMatchObject(valid)
    }
    expect(await findSession('an expired token')).toMatchObject(valid)
    expect(await findSession('a token that is not yet valid')).toMatchObject(valid)
    expect(await findSession('a token of a deleted session')).toBeUndefined()
    expect(await findSession("a token of another user's session")).toMatchObject({ ...valid, userId: 2 })
    expect(await findSession('a revoked token')).toMatchObject({ endReason: 'revoked' })
  })

  it('works for a user whose id is text', async () => {
    const auth = createTestAuth({ users: [{ id: 'ann', email: 'ann@example.com' }] })
    const all = await badCredentials(auth, 'ann')
    expect(new Set(all.map(({ name }) => name)).size).toBe(reasons.length)
  })

  it('throws a TypeError for a value that jwtAuth did not create', async () => {
    await expect(Reflect.apply(badCredentials, undefined, [() => {}, 1])).rejects.toThrow(
      usageError(
        'expectRoutesGuarded',
        '@jwt-auth/testing needs the result of jwtAuth(options) or createTestAuth(options).',
      ),
    )
  })
})

describe('a service that requires keys', () => {
  const auth = createTestAuth({ users, onError: () => {}, dpop: { bind: 'all-tokens', required: true } })
  const app = express().get('/', auth.guard(), (_req, res) => void res.json({}))

  it.each([
    ['without claims', {}],
    ['with claims', { claims: { role: 'admin' } }],
  ])('accepts the headers of a signed-in user %s, whose session is bound to no key', async (_, options) => {
    await request(app)
      .get('/')
      .set(await headersFor(auth, 1, options))
      .expect(200)
  })

  it('refuses every bad credential, and a bound token without a proof', async () => {
    expect((await badCredentials(auth, 1)).map(({ name }) => name)).toContain(
      'a bound token without a proof of its key',
    )
    expect(await attackRoutes(app, { auth, userId: 1 })).toMatchObject([{ path: '/' }])
  })
})
