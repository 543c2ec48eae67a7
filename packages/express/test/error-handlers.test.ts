import { bearer } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../src/index.js'
import { byName } from './support/by-name.js'
import { type HostWithErrorHandler, hostsWithErrorHandler } from './support/error-handlers.js'
import { createClient, listen } from './support/test-host.js'

/** The response of a host whose handler throws. */
const respondTo = async (host: HostWithErrorHandler, thrown: unknown) => {
  const port = await listen(
    await host.createListener(() => {
      throw thrown
    }),
  )
  return createClient(port)('GET', '/', bearer('abc'))
}

describe.each(byName(hostsWithErrorHandler))('the error handler of %s', (_, host) => {
  it.each([
    ['jwt_auth_invalid_token', 401, { 'www-authenticate': 'Bearer realm="jwt-auth", error="invalid_token"' }],
    ['jwt_auth_no_auth_header', 401, { 'www-authenticate': 'Bearer realm="jwt-auth"' }],
    ['jwt_auth_failed', 403, {}],
    ['jwt_auth_unavailable', 503, {}],
  ] as const)('responds to a thrown %s with its status %i and its headers', async (code, status, headers) => {
    const response = await respondTo(host, new AuthError(code))
    expect(response).toMatchObject({ status, headers })
  })

  it('sends Retry-After and Allow', async () => {
    const limited = await respondTo(host, new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 7 }))
    expect(limited).toMatchObject({ status: 429, headers: { 'retry-after': '7' } })

    const refused = await respondTo(host, new AuthError('jwt_auth_method_not_allowed', { allowedMethods: ['POST'] }))
    expect(refused).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  })

  it('shows the client neither the detail nor the cause', async () => {
    const details = { detail: 'the detail', cause: new Error('the cause') }
    expect((await respondTo(host, new AuthError('jwt_auth_invalid_token', details))).text).not.toMatch(/detail|cause/)
  })
})
