import { bearer, type HttpResponse } from '@jwt-auth/test-support/http-client'
import { describe, it } from 'vitest'
import { adaAtMe } from './support/bearer-routes.js'
import { expectResponse, success } from './support/expected-responses.js'
import { logIn } from './support/flows.js'
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
})
