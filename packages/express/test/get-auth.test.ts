import type { IncomingMessage } from 'node:http'
import { usageError } from '@jwt-auth/core/internal'
import { bearer } from '@jwt-auth/test-support/http-client'
import { readMember } from '@jwt-auth/test-support/read-json'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import type { Auth, GuardOptions, Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import { openSession } from './support/flows.js'
import { express4Framework, express5Framework, type Framework, frameworks } from './support/frameworks.js'
import { startHost, type TestHost } from './support/test-host.js'

const forged = { userId: 8, sessionId: 'forged', claims: {} }

const writeForged: Middleware = (req, _res, next) => {
  Reflect.set(req, 'auth', forged)
  next()
}

type Arrange = (auth: TestHost['auth']) => readonly Middleware[]

/** A host that keeps what `getOptionalAuth` and `req.auth` said behind the given middleware. */
const startWitness = async (
  framework: Framework,
  arrange: Arrange,
): Promise<TestHost & { readonly seen: (Auth | undefined)[]; readonly shown: unknown[] }> => {
  const seen: (Auth | undefined)[] = []
  const shown: unknown[] = []
  const witness =
    (auth: TestHost['auth']): Middleware =>
    (req, res) => {
      seen.push(auth.getOptionalAuth(req))
      shown.push(readMember(req, 'auth'))
      res.end()
    }
  const host = await startHost(framework, {
    routes: (auth) => [...arrange(auth), witness(auth)].map((run) => ({ path: '/witness', run })),
  })
  return { ...host, seen, shown }
}

describe.each(byName(frameworks))('getOptionalAuth on %s', (_, framework) => {
  it('returns the user, the session and the claims behind a guard, and req.auth holds the same', async () => {
    const host = await startWitness(framework, (auth) => [auth.guard()])
    const { token } = await openSession(host)
    const { claims } = decodeToken(token)
    await host.send('GET', '/witness', bearer(token))

    expect(host.seen).toEqual([{ userId: 7, sessionId: claims['sid'], claims }])
    expect(host.shown[0]).toBe(host.seen[0])
  })

  it('is undefined behind an optional guard for an anonymous request, even if other middleware wrote to req.auth before', async () => {
    const host = await startWitness(framework, (auth) => [writeForged, auth.guard({ optional: true })])
    await host.send('GET', '/witness')

    expect(host.seen).toStrictEqual([undefined])
    expect(host.shown).toStrictEqual([undefined])
  })

  it.each<[string, Arrange, number | undefined]>([
    ['without a guard', () => [writeForged], undefined],
    ['before the guard', (auth) => [writeForged, auth.guard()], 7],
  ])('ignores middleware that writes req.auth %s', async (_, arrange, userId) => {
    const host = await startWitness(framework, arrange)
    const { token } = await openSession(host)
    await host.send('GET', '/witness', bearer(token))

    expect(host.seen.map((auth) => auth?.userId)).toStrictEqual([userId])
  })

  it('equals req.auth, which an assignment after the guard does not change', async () => {
    const refusals: unknown[] = []
    const assign: Middleware = (req, _res, next) => {
      try {
        Object.assign(req, { auth: forged })
      } catch (error) {
        refusals.push(error)
      }
      next()
    }
    const host = await startWitness(framework, (auth) => [auth.guard(), assign])
    await host.send('GET', '/witness', bearer((await openSession(host)).token))

    expect(refusals).toStrictEqual([expect.any(TypeError)])
    expect(host.shown).toStrictEqual(host.seen)
    expect(host.seen.map((auth) => auth?.userId)).toStrictEqual([7])
  })
})

/** What a getter says behind the given middleware: what it returns, or what it throws. */
const startAsking = async (
  framework: Framework,
  arrange: Arrange,
  read: (auth: TestHost['auth']) => (req: IncomingMessage) => unknown,
): Promise<(isAnonymous: boolean) => Promise<unknown>> => {
  const said: unknown[] = []
  const ask =
    (auth: TestHost['auth']): Middleware =>
    (req, res) => {
      try {
        said.push(read(auth)(req))
      } catch (error) {
        said.push(error)
      }
      res.end()
    }
  const host = await startHost(framework, {
    routes: (auth) => [...arrange(auth), ask(auth)].map((run) => ({ path: '/required', run })),
  })
  const { token } = await openSession(host)
  host.users.change('ada', { email: 'new@example.com' })
  return async (isAnonymous) => {
    await host.send('GET', '/required', isAnonymous ? {} : bearer(token))
    return said.pop()
  }
}

const unguarded = (detail: string) => ({
  code: 'jwt_auth_internal_error',
  message: 'Internal server error.',
  status: 500,
  statusCode: 500,
  detail,
  cause: usageError(
    'getAuth',
    'getAuth found no authenticated user; put auth.guard() of the same service before this handler, or call getOptionalAuth.',
  ),
})

// A host without a framework keeps no URL of the whole request.
const pathOn = ({ name }: Framework): string => (name === 'node:http' ? '/' : '/required')

describe.each(byName(frameworks))('getAuth on %s', (_, framework) => {
  it.each<[string, Arrange, boolean, string]>([
    ['no guard ran', () => [], false, 'no guard ran for GET *'],
    ['other middleware wrote req.auth', () => [writeForged], false, 'no guard ran for GET *'],
    [
      'an optional guard passed an anonymous request on',
      (auth) => [auth.guard({ optional: true })],
      true,
      'the optional guard of GET * passed an anonymous request on',
    ],
  ])('throws when %s, and names the request', async (_, arrange, isAnonymous, detail) => {
    const ask = await startAsking(framework, arrange, (auth) => auth.getAuth)

    expect(await ask(isAnonymous)).toMatchObject(unguarded(detail.replace('*', pathOn(framework))))
  })
})

const withoutGuard =
  (auth: TestHost['auth']): Middleware =>
  (req, res) => {
    res.end(String(auth.getAuth(req).userId))
  }

/** Passes errors to `sendError`, as error middleware of an application does. */
const catchErrors =
  (auth: TestHost['auth']): Middleware =>
  (req, res, next) => {
    try {
      withoutGuard(auth)(req, res, next)
    } catch (error) {
      auth.sendError(res, error)
    }
  }

describe.each(byName([express5Framework, express4Framework]))('a route without a guard on %s', (_, framework) => {
  it('responds with 500, and onError receives the method and the path without the query', async () => {
    const host = await startHost(framework, { routes: (auth) => [{ path: '/reports/7', run: withoutGuard(auth) }] })
    const { token } = await openSession(host)

    expect(await host.send('GET', `/reports/7?token=${token}`, bearer(token))).toMatchObject({ status: 500 })
    expect(host.reports).toMatchObject([unguarded('no guard ran for GET /reports/7')])
    expect(JSON.stringify(host.reports)).not.toContain(token)
  })

  it('is reported once if sendError responds', async () => {
    const host = await startHost(framework, {
      routes: (auth) => [{ path: '/reports', run: catchErrors(auth) }],
    })

    expect(await host.send('GET', '/reports')).toMatchObject({
      status: 500,
      text: '{"code":"jwt_auth_internal_error","message":"Internal server error.","data":{"status":500}}',
    })
    expect(host.reports).toHaveLength(1)
  })
})

describe.each(byName(frameworks))('two services in one application on %s', (_, framework) => {
  it('never return what a guard of the other found', async () => {
    const staff = await startHost(framework)
    const seen: unknown[] = []
    const customers = await startHost(framework, {
      routes: (auth) => [
        { path: '/both', run: auth.guard() },
        {
          path: '/both',
          run: (req, res) => {
            seen.push(auth.getOptionalAuth(req)?.userId, staff.auth.getOptionalAuth(req))
            res.end()
          },
        },
      ],
    })
    await customers.send('GET', '/both', bearer((await openSession(customers)).token))

    expect(seen).toStrictEqual([7, undefined])
  })
})

describe.each(byName(frameworks))('getUser on %s', (_, framework) => {
  const startWith = (options: GuardOptions) =>
    startAsking(
      framework,
      (auth) => [auth.guard(options)],
      (auth) => auth.getUser,
    )

  it('returns the user as they are now behind a guard with checkUser', async () => {
    const ask = await startWith({ checkUser: true })
    expect(await ask(false)).toMatchObject({ email: 'new@example.com' })
  })

  it('throws behind a guard without checkUser, and behind an optional guard for an anonymous request', async () => {
    const [withoutCheck, optional] = [await startWith({}), await startWith({ checkUser: true, optional: true })]
    expect(await withoutCheck(false)).toMatchObject({
      detail: `the guard of GET ${pathOn(framework)} has no option checkUser`,
    })
    expect(await optional(true)).toMatchObject({
      detail: `the optional guard of GET ${pathOn(framework)} passed an anonymous request on`,
    })
  })
})
