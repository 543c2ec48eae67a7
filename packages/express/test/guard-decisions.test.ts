import { isAuthError } from '@jwt-auth/core'
import { calls } from '@jwt-auth/core/adapter'
import { bearer } from '@jwt-auth/test-support/http-client'
import { recordCalls } from '@jwt-auth/test-support/recorded-calls'
import { describe, expect, it } from 'vitest'
import { openSession } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { respondWithCaller, startHost } from './support/test-host.js'

describe('the channel of guard decisions', () => {
  it('has one message for each check of a guard and of verifyRequest, with the error of a refusal', async () => {
    const host = await startHost(express5Framework, {
      routes: (auth) => [
        { path: '/guarded', run: auth.guard() },
        { path: '/forbidden', run: auth.guard({ allow: () => false }) },
        { path: '/optional', run: auth.guard({ optional: true }) },
        { path: '/optional', run: respondWithCaller(auth) },
        { path: '/guarded', run: respondWithCaller(auth) },
      ],
    })
    const { token } = await openSession(host)
    const decisions = recordCalls(calls.guard)
    await host.send('GET', '/guarded', bearer(token))
    await host.send('GET', '/guarded', bearer('no token'))
    await host.send('GET', '/guarded')
    await host.send('GET', '/forbidden', bearer(token))
    await host.send('GET', '/optional')
    await host.send('GET', '/optional', bearer(token))
    await host.auth.verifyRequest(
      new Request('https://api.example.com', { headers: { authorization: `Bearer ${token}` } }),
    )
    expect(decisions.map(({ error }) => (isAuthError(error) ? error.code : error))).toEqual([
      undefined,
      'jwt_auth_bad_auth_header',
      'jwt_auth_no_auth_header',
      'jwt_auth_forbidden',
      undefined,
      undefined,
    ])
  })
})
