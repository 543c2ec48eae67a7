import { bearer, type HttpResponse } from '@jwt-auth/test-support/http-client'
import { parseJson } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import { adaAtMe } from './support/bearer-routes.js'
import { expectResponse, invalidToken, success } from './support/expected-responses.js'
import { logIn, requestRefresh } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost, type TestHost } from './support/test-host.js'
import { brianFields } from './support/test-users.js'

const requestMe = ({ send }: TestHost, token: string): Promise<HttpResponse> =>
  send('GET', '/jwt-auth/v1/me', bearer(token))

// Which tokens are refused: access-token-check.test.ts.
describe('GET /me', () => {
  it('responds with the user under the names of the token routes and of the users route', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    expectResponse(await requestMe(host, token), success(adaAtMe))
  })

  it('keeps the JSON type of a user id that is text, and responds with the link of the user', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host, 'brian')

    expectResponse(
      await requestMe(host, token),
      success({
        ...brianFields,
        id: 'user-8',
        email: 'brian@example.com',
        slug: 'brian',
        name: 'Brian Kernighan ✓',
        link: 'https://example.com/people/brian',
      }),
    )
  })

  it('responds with the user name, as the login and the refresh do, when the user has no other name', async () => {
    const host = await startHost(express5Framework)
    host.users.change('ada', { username: 'ada', nicename: undefined, displayName: undefined })
    const names = { user_nicename: 'ada', user_display_name: 'ada' }
    const { token, refreshToken } = await logIn(host)

    expectResponse(await requestMe(host, token), success({ ...adaAtMe, ...names, slug: 'ada', name: 'ada' }))
    expect(parseJson((await requestRefresh(host, refreshToken)).text)).toMatchObject(names)
  })

  it('responds with 401 when the user is disabled', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)
    host.users.change('ada', { disabled: true })

    expectResponse(await requestMe(host, token), invalidToken())
  })

  it('responds with no other field of the user', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    expect((await requestMe(host, token)).text).not.toMatch(/passwordHash|\$2b\$|credentialVersion/)
  })
})
