import { randomBytes } from 'node:crypto'
import { IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { inspect } from 'node:util'
import { usageError } from '@jwt-auth/core/internal'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { bearer } from '@jwt-auth/test-support/http-client'
import { callUntyped } from '@jwt-auth/test-support/outcome'
import connect from 'connect'
import express5 from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import Koa from 'koa'
import { describe, expect, it, vi } from 'vitest'
import { type JwtAuth, jwtAuth, type User, type UserDirectory } from '../src/index.js'
import { express5Framework } from './support/frameworks.js'
import { createClient, listen, startHost } from './support/test-host.js'

const ada: User = { id: 1, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada' }
const users: UserDirectory = {
  findByUsername: async () => ada,
  findById: async () => ada,
  verifyPassword: async () => true,
}
const validOptions = {
  secret: randomBytes(32),
  issuer: 'https://a.example',
  users,
  storage: memoryStorage({ quiet: true }),
  onError: () => {},
}

describe('a guard', () => {
  const { guard, verifyRequest } = jwtAuth(validOptions)

  it.each([
    [
      'a function',
      () => true,
      '`guard` received a function as its options; pass it as `allow`: `guard({ allow: … })`.',
    ],
    ['null', null, 'the options of guard must be an object'],
    [
      'a misspelt rule',
      { alow: () => true },
      'guard has no option `alow` (did you mean `allow`?); known options: option',
    ],
    ['the value of a claim', { role: 'admin' }, "For a claim, write `allow: claimEquals('role', 'admin')`."],
    ['text in place of true', { optional: 'no' }, 'option `optional` must be true or false'],
    ['a role in place of a rule', { allow: 'admin' }, 'option `allow` must be a function'],
  ])('refuses %s for its options', (_, options, message) => {
    const make = () => Reflect.apply(guard, undefined, [options])
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it.each(['checkUser', 'allow', 'maxAuthAgeSeconds'])('refuses the rule %s if it is undefined', async (rule) => {
    const message = `rule \`${rule}\` of %s is undefined: its name may be misspelled, or a circular import may not have`
    const [rules, request] = [{ [rule]: undefined }, new Request('https://a.example')]

    expect(() => callUntyped(guard, rules)).toThrow(message.replace('%s', 'guard'))
    await expect(callUntyped(verifyRequest, request, rules)).rejects.toThrow(message.replace('%s', 'verifyRequest'))
  })

  it('accepts an option that admits nobody if it is undefined', () => {
    expect(guard({ optional: undefined, errorHandling: undefined })).toBeTypeOf('function')
  })
})

describe.each([
  ['Express 5', () => express5()],
  ['Express 4', () => express4()],
  ['Connect', () => connect()],
])('middleware that %s receives without a call', (_, createApp) => {
  const { guard, jwks, errorHandler } = jwtAuth(validOptions)

  it.each([
    ['auth.guard', 'auth.guard()', guard],
    ['auth.jwks', 'auth.jwks()', jwks],
    ['auth.errorHandler', 'auth.errorHandler()', errorHandler],
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
    const { status } = await createClient(await listen(app))('GET', '/')

    expect(status).toBe(500)
    expect(handler).not.toHaveBeenCalled()
    expect(errors).toEqual([
      usageError(
        name.replace('auth.', ''),
        `\`${name}\` was passed to the router without being called: write \`${call}\`.`,
      ),
    ])
  })
})

describe('a rule that returns neither true nor false', () => {
  it.each([
    ['nothing', undefined, 'nothing'],
    ['a number', 1, 'a number'],
    ['text', 'admin', 'a string'],
  ])('refuses the request, and is reported once: %s', async (_, result, received) => {
    const { auth, reports } = await startHost(express5Framework)
    const { accessToken } = await auth.sessions.create(7)
    const guard = Reflect.apply(auth.guard, undefined, [{ allow: () => result }])
    const send = createClient(await listen((req, res) => guard(req, res, () => void res.end('passed on'))))

    expect(await send('GET', '/admin?a=b', bearer(accessToken))).toMatchObject({ status: 403 })
    expect(await send('GET', '/admin', bearer(accessToken))).toMatchObject({ status: 403 })
    expect(reports).toMatchObject([
      {
        code: 'jwt_auth_forbidden',
        cause: usageError(
          'allow',
          `option \`allow\` of the guard of GET /admin returned ${received}; return true or false: every other value rejects the request.`,
        ),
      },
    ])
  })
})

describe('a guard that is called without `next`', () => {
  it('throws before a handler can respond to everybody', async () => {
    const auth = jwtAuth(validOptions)
    const app = express5()
    app.get('/secret', async (req, res) => {
      await Reflect.apply(auth.guard(), undefined, [req, res])
      res.send('secret')
    })
    app.use((error: Error, _req: unknown, res: express5.Response, _next: unknown) => {
      res.status(500).end(error.message)
    })
    const response = await createClient(await listen(app))('GET', '/secret')
    expect(response).toMatchObject({
      status: 500,
      text: expect.stringMatching(
        /^jwt-auth: a guard was called without `next`.*auth\.guard\(\), handler.*verifyRequest/,
      ),
    })
  })
})

describe('a function that is called without its request or response', () => {
  const auth = jwtAuth(validOptions)

  it.each([
    ['getAuth', [], /^jwt-auth: auth\.getAuth needs the request/],
    ['getUser', [], /^jwt-auth: auth\.getUser needs the request/],
    ['getOptionalAuth', [], /^jwt-auth: auth\.getOptionalAuth needs/],
    ['sendTokens', [{}, {}], /Pass the response first to `auth\.sendTokens\(res, tokens\)`/],
    ['sendError', [new Error('x')], /`auth\.sendError\(res, error\)`/],
  ] as const)('names the right call: %s', (name, args, message) => {
    expect(() => Reflect.apply(auth[name], undefined, args)).toThrow(message)
  })
  it.each([
    ['nothing', () => undefined, 'received nothing.'],
    ['a promise', ({ sessions }: JwtAuth) => sessions.create(7), 'received a promise.'],
  ])('reports %s in place of tokens', async (_, create, message) => {
    const { auth: own, reports } = await startHost(express5Framework)
    const send = createClient(await listen((_req, res) => Reflect.apply(own.sendTokens, undefined, [res, create(own)])))
    expect(await send('GET', '/')).toMatchObject({ status: 500 })
    expect(reports).toMatchObject([{ cause: { message: expect.stringContaining(message) } }])
  })

  it('names the right call: requirePassword, also with the id of the user', async () => {
    const req = new IncomingMessage(new Socket())
    await expect(Reflect.apply(auth.requirePassword, undefined, [req, 1, 'x'])).rejects.toThrow(
      'Write auth.requirePassword(req, password): the guard knows the user.',
    )
    await expect(Reflect.apply(auth.requirePassword, undefined, [1, 'x'])).rejects.toThrow(
      /^jwt-auth: auth\.requirePassword needs the request.*requirePassword\(req, password\)/,
    )
  })
})

describe('a call that looks right', () => {
  it('without arguments in place of the middleware names the right call', () => {
    expect(() => Reflect.apply(jwtAuth(validOptions), undefined, [])).toThrow(
      'write `app.use(auth)`, not `app.use(auth())`',
    )
  })

  const { verify, verifyRequest, toErrorResponse } = jwtAuth(validOptions)
  const headers = new Headers({ authorization: 'Bearer x' })
  it.each<[string, () => Promise<unknown>]>([
    ['verify', () => verify('x')],
    ['verifyRequest', () => verifyRequest(new Request('https://api.example.com', { headers }))],
  ])('to %s without `await` names `await` in the stack of the rejection, and in no response', async (name, call) => {
    const error: unknown = await call().catch((thrown) => thrown)
    expect(inspect(error)).toContain(`in \`await ${name}(…)\`: without \`await\`, every request passes`)
    const { openSession } = jwtAuth(validOptions)
    const failed: unknown = await openSession(new IncomingMessage(new Socket()), 404).catch((thrown) => thrown)
    expect(inspect(failed)).not.toContain('in `await')
    expect(await toErrorResponse(error).json()).toEqual({
      code: 'jwt_auth_invalid_token',
      message: 'Invalid token.',
      data: { status: 401 },
    })
  })
})

describe('middleware that receives the objects of a framework in place of those of Node', () => {
  const auth = jwtAuth(validOptions)
  const message = /^jwt-auth: jwtAuth did not receive Node's request and response\..*request\.raw.*ctx\.req/

  const hosts = [
    [
      'a hook of Fastify',
      async (run: unknown, handler: () => unknown, errors: unknown[]) => {
        const app = Fastify()
        app.setErrorHandler((error, _request, reply) => {
          errors.push(error)
          return reply.code(500).send('')
        })
        Reflect.apply(app.addHook, app, ['onRequest', run])
        app.get('/', handler)
        await app.ready()
        return app.routing
      },
    ],
    [
      'Koa',
      async (run: unknown, handler: () => unknown, errors: unknown[]) => {
        const app = new Koa()
        app.on('error', (error) => errors.push(error))
        for (const middleware of [run, handler]) Reflect.apply(app.use, app, [middleware])
        return app.callback()
      },
    ],
  ] as const

  describe.each(hosts)('in %s', (_, createListener) => {
    it.each([
      ['the routes', auth],
      ['a guard', auth.guard()],
    ])('fails the request, and names the call: %s', async (_name, run) => {
      const errors: unknown[] = []
      const handler = vi.fn(() => 'passed on')
      const send = createClient(await listen(await createListener(run, handler, errors)))

      expect(await send('GET', '/')).toMatchObject({ status: 500 })
      expect(handler).not.toHaveBeenCalled()
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })])
    })
  })

  it('throws as a plugin of Fastify, which would otherwise start without it', () => {
    const [instance, options, done] = [Fastify(), {}, vi.fn()]
    expect(() => Reflect.apply(auth, undefined, [instance, options, done])).toThrow(message)
    expect(done).not.toHaveBeenCalled()
  })
})
