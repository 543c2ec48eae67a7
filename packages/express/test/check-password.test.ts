import { describe, expect, it } from 'vitest'
import { type JwtAuth, type Middleware, requireAuth } from '../src/index.js'
import { byName } from './support/by-name.js'
import { expectAnswer, rateLimited } from './support/expected-answers.js'
import { bearer, openSession } from './support/flows.js'
import { frameworks } from './support/frameworks.js'
import { startHost } from './support/test-host.js'
import { password } from './support/test-users.js'

/** A guarded route that checks the password in a header. */
const confirmRoutes = (auth: JwtAuth) => [
  { path: '/confirm', run: auth.guard() },
  { path: '/confirm', run: confirm(auth) },
]

const confirm =
  (auth: JwtAuth): Middleware =>
  (req, res) => {
    auth.checkPassword(requireAuth(req).userId, req.headers['x-password'], req).then(
      (isRight) => res.end(String(isRight)),
      (thrown: unknown) => auth.sendError(res, thrown),
    )
  }

const withPassword = (token: string, given: string, from?: string) => ({
  headers: { ...bearer(token).headers, 'X-Password': given, ...(from && { 'X-Real-IP': from }) },
})

describe.each(byName(frameworks))('the password of a signed-in user on %s', (_, framework) => {
  it('is checked within the limits of the address that the request comes from', async () => {
    const takeAddress: Middleware = (req, _res, next) => {
      Object.defineProperty(req, 'ip', { value: req.headers['x-real-ip'] })
      next()
    }
    const host = await startHost(framework, { before: [takeAddress], routes: confirmRoutes })
    const { token } = await openSession(host)
    const send = (given: string, from: string) => host.send('GET', '/confirm', withPassword(token, given, from))

    expect(await send(password, '192.0.2.1')).toMatchObject({ status: 200, text: 'true' })
    for (let count = 0; count < 10; count += 1) {
      expect(await send('wrong', '192.0.2.2')).toMatchObject({ status: 200, text: 'false' })
    }
    expectAnswer(await send(password, '192.0.2.2'), rateLimited(10_800))
    expect(await send(password, '192.0.2.1')).toMatchObject({ status: 200, text: 'true' })
  })
})
