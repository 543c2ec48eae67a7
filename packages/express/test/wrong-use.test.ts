import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { memoryStorage } from '@jwt-auth/storage-memory'
import connect from 'connect'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it, vi } from 'vitest'
import { AuthError, jwtAuth, type User, type UserDirectory } from '../src/index.js'
import { listen } from './support/test-host.js'

const ada: User = { id: 1, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada' }
const users: UserDirectory = {
  findByUsername: async () => ada,
  findById: async () => ada,
  verifyPassword: async () => true,
}
const good = {
  secret: randomBytes(32),
  issuer: 'https://a.example',
  users,
  storage: memoryStorage({ quiet: true }),
  onError: () => {},
}

/** Sends one login to a service with this directory and answers the status and the body. */
const logInWith = async (directory: UserDirectory): Promise<{ status: number; retryAfter: string | null }> => {
  const server = createServer(jwtAuth({ ...good, users: directory }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const answer = await fetch(`http://127.0.0.1:${port}/jwt-auth/v1/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password: 'x' }),
  })
  server.closeAllConnections()
  server.close()
  return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
}

const throwing = (error: () => unknown): UserDirectory => ({
  ...users,
  verifyPassword: async () => {
    throw error()
  },
})

describe('a guard', () => {
  const { guard } = jwtAuth(good)

  it.each([
    ['a function', () => true, 'option `guard` must be an object'],
    ['true', true, 'option `guard` must be an object'],
    ['null', null, 'option `guard` must be an object'],
    ['a misspelt rule', { alow: () => true }, 'guard has no option `alow`; known options: optional, checkUser, allow.'],
    ['text in place of true', { optional: 'no' }, 'option `optional` must be true or false'],
    ['null in place of false', { optional: null }, 'option `optional` must be true or false'],
    ['a role in place of a rule', { allow: 'admin' }, 'option `allow` must be a function'],
    ['a truth in place of a rule', { allow: true }, 'option `allow` must be a function'],
  ])('refuses %s for its options', (_, options, message) => {
    const make = () => Reflect.apply(guard, undefined, [options])
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it('takes an option that is undefined as left out', () => {
    expect(guard({ optional: undefined, allow: undefined })).toBeTypeOf('function')
  })
})

describe.each([
  ['Express 5', () => express5()],
  ['Express 4', () => express4()],
  ['Connect', () => connect()],
])('middleware that %s receives without a call', (_, createApp) => {
  const { guard, jwks } = jwtAuth(good)

  it.each([
    ['auth.guard', 'auth.guard()', guard],
    ['auth.jwks', 'auth.jwks()', jwks],
    ['jwtAuth', 'jwtAuth({ secret, issuer, users, storage })', jwtAuth],
  ])('fails the request and names the call: %s', async (name, call, uncalled) => {
    const handler = vi.fn()
    const errors: unknown[] = []
    const onError = (error: unknown, _req: unknown, res: ServerResponse, _next: unknown) => {
      errors.push(error)
      res.writeHead(500).end()
    }
    const app = createApp()
    for (const run of [uncalled, handler, onError]) Reflect.apply(app.use, app, [run])
    const { status } = await fetch(`http://127.0.0.1:${await listen(app)}/`)

    expect(status).toBe(500)
    expect(handler).not.toHaveBeenCalled()
    expect(errors).toEqual([
      new TypeError(`jwt-auth: \`${name}\` was passed to the router without being called: write \`${call}\`.`),
    ])
  })
})

describe('jwtAuth', () => {
  it('refuses an option it does not know, and names those it does', () => {
    expect(() => Reflect.apply(jwtAuth, undefined, [{ ...good, accessTokenSecond: 60 }])).toThrow(
      /^jwt-auth: jwtAuth has no option `accessTokenSecond`; known options: secret, issuer, .*\.$/,
    )
  })
})

describe('a user directory', () => {
  it('that throws a code there is none of is answered as an outage, and the process lives', async () => {
    const directory = throwing(() => Reflect.construct(AuthError, ['rate_limited']))
    expect(await logInWith(directory)).toMatchObject({ status: 503 })
  })

  it('that throws something branded by hand is answered as an outage', async () => {
    const forged = { [Symbol.for('@jwt-auth/core.AuthError')]: true, code: 'nonsense' }
    expect(await logInWith(throwing(() => forged))).toMatchObject({ status: 503 })
  })

  it.each([
    [1.5, '2'],
    [Number.NaN, '1'],
    [-3, '1'],
    ['soon\n', '1'],
  ])('that says to retry after %j is answered with whole seconds: %s', async (retryAfterSeconds, expected) => {
    const directory = throwing(() => Reflect.construct(AuthError, ['jwt_auth_rate_limited', { retryAfterSeconds }]))
    expect(await logInWith(directory)).toEqual({ status: 429, retryAfter: expected })
  })

  it.each([
    [2, 500],
    ['1', 403],
  ])('that finds user %j instead of 1 authenticates nobody', async (id, status) => {
    expect(await logInWith({ ...users, findById: async () => ({ ...ada, id }) })).toMatchObject({ status })
  })
})

describe('sessions', () => {
  const { sessions } = jwtAuth(good)

  it.each([undefined, null, Number.NaN, '', { userId: 1 }])('refuse the user id %j', async (userId) => {
    await expect(Reflect.apply(sessions.revokeAll, undefined, [userId])).rejects.toThrow(/option `userId`/)
    await expect(Reflect.apply(sessions.list, undefined, [userId])).rejects.toThrow(/option `userId`/)
  })

  it.each(['', 5, 'x'.repeat(65)])('refuse the reason %j', async (reason) => {
    await expect(Reflect.apply(sessions.revokeAll, undefined, [1, { reason }])).rejects.toThrow(/option `reason`/)
  })
})

describe('the device option', () => {
  it('is asked at a login alone, and may answer null', async () => {
    const asked: string[] = []
    const auth = jwtAuth({
      ...good,
      device: (req) => {
        asked.push(req.url ?? '')
        return { label: null, ipAddress: null, userAgent: null }
      },
    })
    const server = createServer((req, res) => auth(req, res))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/jwt-auth/v1`
    const login = await fetch(`${origin}/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password: 'x' }),
    })
    const { token }: { token: string } = JSON.parse(await login.text())
    const validated = await fetch(`${origin}/token/validate`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    })
    server.closeAllConnections()
    server.close()
    expect([login.status, validated.status, asked]).toEqual([200, 200, ['/jwt-auth/v1/token']])
  })
})
