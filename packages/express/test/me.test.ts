import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { adaAtMe } from './support/doors.js'
import { expectAnswer, invalidToken, success, validToken } from './support/expected-answers.js'
import { bearer, logIn, requestValidation } from './support/flows.js'
import { frameworks } from './support/frameworks.js'
import type { Answer } from './support/http-client.js'
import { startHost, type TestHost } from './support/test-host.js'
import { brianFields } from './support/test-users.js'

const requestMe = ({ send }: TestHost, token: string): Promise<Answer> => send('GET', '/jwt-auth/v1/me', bearer(token))

// Which tokens are refused: access-token-check.test.ts.
describe.each(byName(frameworks))('GET /me on %s', (_, framework) => {
  it("answers the user under the service's names and under those of the users route", async () => {
    const host = await startHost(framework)
    const { token } = await logIn(host)

    expectAnswer(await requestMe(host, token), success(adaAtMe))
  })

  it('keeps the JSON type of a user id that is text, and gives the link of the user', async () => {
    const host = await startHost(framework)
    const { token } = await logIn(host, 'brian')

    expectAnswer(
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

  it('reads the user afresh', async () => {
    const host = await startHost(framework)
    const { token } = await logIn(host)
    const [email, link] = ['countess@example.com', 'https://example.com/ada']
    host.users.change('ada', { email, link })

    expectAnswer(await requestMe(host, token), success({ ...adaAtMe, user_email: email, email, link }))
  })

  it('shows nothing of the user beside these fields', async () => {
    const host = await startHost(framework)
    const { token } = await logIn(host)

    expect((await requestMe(host, token)).text).not.toMatch(/passwordHash|\$2b\$|credentialVersion/)
  })

  it.each(
    byName([
      { name: 'gone', change: ({ users }: TestHost) => users.remove('ada') },
      { name: 'disabled', change: ({ users }: TestHost) => users.change('ada', { disabled: true }) },
    ]),
  )('answers 401 when the user is %s', async (_, { change }) => {
    const host = await startHost(framework)
    const { token } = await logIn(host)
    change(host)

    expectAnswer(await requestMe(host, token), invalidToken())
    expectAnswer(await requestValidation(host, token), validToken)
  })
})
