import { bearer } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { type AuthEvent, all, any, claimEquals, type GuardOptions, hasScope } from '../src/index.js'
import { byName } from './support/by-name.js'
import { expectResponse, forbidden, insufficientScope, loginTooOld } from './support/expected-responses.js'
import { openSession, refresh, sessionOf } from './support/flows.js'
import { type Framework, frameworks } from './support/frameworks.js'
import { respondWithCaller, startHost } from './support/test-host.js'

/** Starts a host with a guard of these options before its route `/guarded`. */
const startGuarded = async (framework: Framework, options: GuardOptions, claims: object = {}) => {
  const events: AuthEvent[] = []
  const host = await startHost(framework, {
    options: { claims: () => claims, onEvent: (event) => events.push(event) },
    routes: (auth) => [
      { path: '/guarded', run: auth.guard(options) },
      { path: '/guarded', run: respondWithCaller(auth) },
    ],
  })
  return { ...host, events, enter: (token: string) => host.send('GET', '/guarded', bearer(token)) }
}

const ada = { status: 200, text: '{"userId":7}' }

describe.each(byName(frameworks))('a guard with maxAuthAgeSeconds on %s', (_, framework) => {
  it('accepts a login up to this age, and then responds with 401 and max_age', async () => {
    const host = await startGuarded(framework, { maxAuthAgeSeconds: 300 })
    const { token } = await openSession(host)
    host.clock.advanceMs(300_000)
    expect(await host.enter(token)).toMatchObject(ada)

    host.clock.advanceMs(1_000)
    expectResponse(await host.enter(token), loginTooOld(300))
    expect(host.events.at(-1)).toMatchObject({
      type: 'request_rejected',
      code: 'jwt_auth_insufficient_user_authentication',
      detail: 'the login was 301 seconds ago',
      userId: 7,
      sessionId: sessionOf(token),
    })
  })

  it('rejects a refreshed token of an old login, and accepts a new login', async () => {
    const host = await startGuarded(framework, { maxAuthAgeSeconds: 300 })
    const old = await openSession(host)
    host.clock.advanceMs(301_000)

    expectResponse(await host.enter((await refresh(host, old.refreshToken)).token), loginTooOld(300))
    expect(await host.enter((await openSession(host)).token)).toMatchObject(ada)
  })

  it('accepts a session that the application has just created', async () => {
    const host = await startGuarded(framework, { maxAuthAgeSeconds: 300 })
    host.clock.advanceMs(301_000)

    expect(await host.enter((await host.auth.sessions.create(7)).accessToken)).toMatchObject(ada)
  })

  it('checks the age before the rule', async () => {
    const host = await startGuarded(framework, { maxAuthAgeSeconds: 300, allow: () => false })
    const { token } = await openSession(host)
    expectResponse(await host.enter(token), forbidden)

    host.clock.advanceMs(301_000)
    expectResponse(await host.enter(token), loginTooOld(300))
  })

  it('passes an anonymous request on if it is optional', async () => {
    const host = await startGuarded(framework, { maxAuthAgeSeconds: 300, optional: true })

    expect(await host.send('GET', '/guarded')).toMatchObject({ status: 200, text: '{"userId":null}' })
  })
})

describe('maxAuthAgeSeconds', () => {
  it.each([0, 1.5, -1, '300', null, 315_360_001])('refuses %j', async (maxAuthAgeSeconds) => {
    const { auth } = await startHost(frameworks[0] ?? { name: '', createListener: () => () => {} })

    expect(() => Reflect.apply(auth.guard, undefined, [{ maxAuthAgeSeconds }])).toThrow(
      /^jwt-auth: option `maxAuthAgeSeconds` must be/,
    )
  })
})

describe.each(byName(frameworks))('a guard with rules on %s', (_, framework) => {
  it('responds with 403 and the required scopes to a token without them', async () => {
    const host = await startGuarded(
      framework,
      { allow: hasScope('reports:read', 'reports:write') },
      { scope: 'reports:read' },
    )

    expectResponse(await host.enter((await openSession(host)).token), insufficientScope('reports:read reports:write'))
  })

  it('passes a token with the required scopes on', async () => {
    const host = await startGuarded(framework, { allow: hasScope('reports:read') }, { scope: 'profile reports:read' })

    expect(await host.enter((await openSession(host)).token)).toMatchObject(ada)
  })

  it('names the scopes of all rules, whichever rule is not fulfilled', async () => {
    const allow = all(hasScope('reports:read'), claimEquals('role', 'admin'))
    const host = await startGuarded(framework, { allow }, { scope: 'reports:read' })

    expectResponse(await host.enter((await openSession(host)).token), insufficientScope('reports:read'))
  })

  it('names no scope where another rule is enough', async () => {
    const allow = any(hasScope('reports:read'), claimEquals('role', 'admin'))
    const host = await startGuarded(framework, { allow }, { role: 'reader' })

    expectResponse(await host.enter((await openSession(host)).token), forbidden)
  })
})
