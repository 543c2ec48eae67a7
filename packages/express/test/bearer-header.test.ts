import { bearer } from '@jwt-auth/test-support/http-client'
import { parseJson } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import { bearerRoutes, expectAccepted } from './support/bearer-routes.js'
import { byName } from './support/by-name.js'
import { badAuthHeader, expectResponse, noAuthHeader } from './support/expected-responses.js'
import { openSession } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { sendRaw } from './support/raw-request.js'
import { startHost } from './support/test-host.js'

const bearerSchemes: readonly { readonly name: string; readonly write: (token: string) => string }[] = [
  { name: 'the scheme Bearer', write: (token) => `Bearer ${token}` },
  { name: 'the scheme in lower case', write: (token) => `bearer ${token}` },
  { name: 'the scheme in upper case', write: (token) => `BEARER ${token}` },
  { name: 'the scheme in mixed case', write: (token) => `bEaReR ${token}` },
  { name: 'several spaces after the scheme', write: (token) => `Bearer    ${token}` },
]

const otherSchemes: readonly { readonly name: string; readonly write: (token: string) => string }[] = [
  { name: 'the scheme Basic', write: () => 'Basic YWRhOnNlY3JldA==' },
  { name: 'the scheme Bearerx', write: (token) => `Bearerx ${token}` },
  { name: 'the scheme Bearer-Token', write: (token) => `Bearer-Token ${token}` },
  { name: 'the scheme Token', write: (token) => `Token ${token}` },
  { name: 'a scheme before Bearer', write: (token) => `Basic Bearer ${token}` },
  { name: 'a basic credential before a bearer one in a list', write: (token) => `Basic YTpi, Bearer ${token}` },
  { name: 'a comma before the scheme', write: (token) => `, Bearer ${token}` },
  { name: 'a token without a scheme', write: (token) => token },
  { name: 'an empty value', write: () => '' },
]

const malformed: readonly { readonly name: string; readonly write: (token: string) => string }[] = [
  { name: 'nothing after the scheme', write: () => 'Bearer' },
  { name: 'only spaces after the scheme', write: () => 'Bearer   ' },
  { name: 'a tab after the scheme', write: (token) => `Bearer\t${token}` },
  { name: 'a space and a tab after the scheme', write: (token) => `Bearer \t${token}` },
  { name: 'a no-break space after the scheme', write: (token) => `Bearer\u00a0${token}` },
  { name: 'two tokens', write: (token) => `Bearer ${token} ${token}` },
  { name: 'two credentials in a list', write: (token) => `Bearer ${token}, Bearer ${token}` },
  { name: 'a bearer and a basic credential in a list', write: (token) => `Bearer ${token}, Basic YTpi` },
  { name: 'a comma after the token', write: (token) => `Bearer ${token},` },
  { name: 'a comma after the scheme', write: (token) => `Bearer,${token}` },
  { name: 'a quoted token', write: (token) => `Bearer "${token}"` },
  { name: 'a parameter instead of a token', write: (token) => `Bearer token="${token}"` },
  { name: 'padding within the token', write: (token) => `Bearer a=${token}` },
  { name: 'a letter outside ASCII', write: (token) => `Bearer ${token}é` },
]

const duplicates: readonly { readonly name: string; readonly write: (token: string) => readonly [string, string] }[] = [
  { name: 'the same bearer token', write: (token) => [`Bearer ${token}`, `Bearer ${token}`] },
  { name: 'a bearer token first', write: (token) => [`Bearer ${token}`, 'Basic YTpi'] },
  { name: 'a bearer token last', write: (token) => ['Basic YTpi', `Bearer ${token}`] },
  { name: 'an empty one first', write: (token) => ['', `Bearer ${token}`] },
]

describe('the Authorization header', () => {
  it.each(byName(bearerSchemes))('is read on every route with %s', async (_, { write }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    for (const { method, path, success } of bearerRoutes) {
      const { text } = await host.send(method, path, { headers: { Authorization: write(token) } })
      expect(parseJson(text)).toStrictEqual(success)
    }
  })

  it('is not found on any route when it is missing', async () => {
    const { send } = await startHost(express5Framework)
    for (const { method, path } of bearerRoutes) expectResponse(await send(method, path), noAuthHeader)
  })

  it.each(byName(otherSchemes))('is not found on any route with %s', async (_, { write }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const headers = { Authorization: write(token) }
    for (const { method, path } of bearerRoutes)
      expectResponse(await host.send(method, path, { headers }), noAuthHeader)

    await expectAccepted(host, token)
  })

  it.each(byName(malformed))('is malformed on every route with %s', async (_, { write }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const headers = { Authorization: write(token) }
    for (const { method, path } of bearerRoutes)
      expectResponse(await host.send(method, path, { headers }), badAuthHeader)

    await expectAccepted(host, token)
  })

  it.each(byName(duplicates))('is malformed on every route when it is sent twice: %s', async (_, { write }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const [first, second] = write(token)
    for (const { method, path } of bearerRoutes) {
      const lines = [`${method} ${path} HTTP/1.1`, `Authorization: ${first}`, `authorization: ${second}`]
      expectResponse(await sendRaw(host.port, lines), badAuthHeader)
    }

    await expectAccepted(host, token)
  })

  it('is the one that other middleware wrote into the request', async () => {
    let token = ''
    const host = await startHost(express5Framework, {
      before: [
        (req, _res, next) => {
          req.headers.authorization = `Bearer ${token}`
          next()
        },
      ],
    })
    token = (await openSession(host)).token

    expect(await host.send('GET', '/reports')).toMatchObject({ status: 200, text: '{"userId":7}' })
    expectResponse(
      await host.send('GET', '/reports', { headers: { Authorization: ['Bearer a', 'Bearer b'] } }),
      badAuthHeader,
    )
  })

  it('is missing when other middleware removed it from the request', async () => {
    const host = await startHost(express5Framework, {
      before: [
        (req, _res, next) => {
          delete req.headers.authorization
          next()
        },
      ],
    })
    const { token } = await openSession(host)
    const lines = [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`]

    for (const { method, path } of bearerRoutes) {
      expectResponse(await host.send(method, path, bearer(token)), noAuthHeader)
      expectResponse(await sendRaw(host.port, [`${method} ${path} HTTP/1.1`, ...lines]), noAuthHeader)
    }
  })

  it('is read when the value of another header is its name', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const headers = { ...bearer(token).headers, 'Access-Control-Request-Headers': 'authorization' }
    for (const { method, path, success } of bearerRoutes) {
      const { text } = await host.send(method, path, { headers })
      expect(parseJson(text)).toStrictEqual(success)
    }
  })

  it('is not replaced by a token in the query, in a cookie or in another header', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const headers = {
      Cookie: `token=${token}; access_token=${token}; Authorization=Bearer ${token}`,
      'Proxy-Authorization': `Bearer ${token}`,
      'X-Authorization': `Bearer ${token}`,
    }
    for (const { method, path } of bearerRoutes) {
      const target = `${path}?access_token=${token}&token=${token}&jwt=${token}`
      expectResponse(await host.send(method, target, { headers }), noAuthHeader)
    }
  })

  it.each([
    ['application/json', (token: string) => JSON.stringify({ access_token: token })],
    ['application/x-www-form-urlencoded', (token: string) => `access_token=${token}`],
  ])('is not replaced by a token in a body of type %s', async (contentType, write) => {
    const host = await startHost(express5Framework, { options: { formBodies: true } })
    const { token } = await openSession(host)
    const message = { headers: { 'Content-Type': contentType }, body: write(token) }
    for (const { method, path } of bearerRoutes) expectResponse(await host.send(method, path, message), noAuthHeader)
  })

  it.each(
    byName([
      { name: 'another scheme', header: 'Basic echo-me', code: 'jwt_auth_no_auth_header' },
      { name: 'a malformed header', header: 'Bearer "echo-me"', code: 'jwt_auth_bad_auth_header' },
      { name: 'a bad token', header: 'Bearer echo-me', code: 'jwt_auth_invalid_token' },
    ]),
  )('is not repeated in the response to %s', async (_, { header, code }) => {
    const { send } = await startHost(express5Framework)
    for (const { method, path } of bearerRoutes) {
      const response = await send(method, path, { headers: { Authorization: header } })
      expect(response.text).toContain(code)
      expect(JSON.stringify(response)).not.toContain('echo-me')
    }
  })

  it('is requested with the realm of the option', async () => {
    const { send } = await startHost(express5Framework, { options: { realm: "Ada's reports" } })
    for (const { method, path } of bearerRoutes) {
      const none = await send(method, path)
      const bad = await send(method, path, bearer('abc'))
      expect(none.headers['www-authenticate']).toBe('Bearer realm="Ada\'s reports"')
      expect(bad.headers['www-authenticate']).toBe('Bearer realm="Ada\'s reports", error="invalid_token"')
    }
  })
})
