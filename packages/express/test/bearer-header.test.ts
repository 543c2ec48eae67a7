import { bearer } from '@jwt-auth/test-support/http-client'
import { parseJson } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import { bearerRoutes, expectAccepted } from './support/bearer-routes.js'
import { badAuthHeader, expectResponse, noAuthHeader } from './support/expected-responses.js'
import { openSession } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { sendRaw } from './support/raw-request.js'
import { startHost } from './support/test-host.js'

type Written = readonly [title: string, write: (token: string) => string]

const bearerSchemes: readonly Written[] = [
  ['the scheme Bearer', (token) => `Bearer ${token}`],
  ['the scheme in lower case', (token) => `bearer ${token}`],
  ['the scheme in upper case', (token) => `BEARER ${token}`],
  ['the scheme in mixed case', (token) => `bEaReR ${token}`],
  ['several spaces after the scheme', (token) => `Bearer    ${token}`],
]

const otherSchemes: readonly Written[] = [
  ['the scheme Basic', () => 'Basic YWRhOnNlY3JldA=='],
  ['the scheme Bearerx', (token) => `Bearerx ${token}`],
  ['the scheme Bearer-Token', (token) => `Bearer-Token ${token}`],
  ['the scheme Token', (token) => `Token ${token}`],
  ['a scheme before Bearer', (token) => `Basic Bearer ${token}`],
  ['a basic credential before a bearer one in a list', (token) => `Basic YTpi, Bearer ${token}`],
  ['a comma before the scheme', (token) => `, Bearer ${token}`],
  ['a token without a scheme', (token) => token],
  ['an empty value', () => ''],
]

const malformed: readonly Written[] = [
  ['nothing after the scheme', () => 'Bearer'],
  ['only spaces after the scheme', () => 'Bearer   '],
  ['a tab after the scheme', (token) => `Bearer\t${token}`],
  ['a space and a tab after the scheme', (token) => `Bearer \t${token}`],
  ['a no-break space after the scheme', (token) => `Bearer\u00a0${token}`],
  ['two tokens', (token) => `Bearer ${token} ${token}`],
  ['two credentials in a list', (token) => `Bearer ${token}, Bearer ${token}`],
  ['a bearer and a basic credential in a list', (token) => `Bearer ${token}, Basic YTpi`],
  ['a comma after the token', (token) => `Bearer ${token},`],
  ['a comma after the scheme', (token) => `Bearer,${token}`],
  ['a quoted token', (token) => `Bearer "${token}"`],
  ['a parameter instead of a token', (token) => `Bearer token="${token}"`],
  ['padding within the token', (token) => `Bearer a=${token}`],
  ['a letter outside ASCII', (token) => `Bearer ${token}é`],
]

const duplicates: readonly (readonly [title: string, write: (bearer: string) => readonly [string, string]])[] = [
  ['the same bearer token', (bearer) => [bearer, bearer]],
  ['a bearer token first', (bearer) => [bearer, 'Basic YTpi']],
  ['a bearer token last', (bearer) => ['Basic YTpi', bearer]],
  ['an empty one first', (bearer) => ['', bearer]],
]
describe('the Authorization header', () => {
  it.each(bearerSchemes)('is read on every route with %s', async (_, write) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    for (const { method, path, success } of bearerRoutes) {
      const { text } = await host.send(method, path, { headers: { Authorization: write(token) } })
      expect(parseJson(text)).toStrictEqual(success)
    }
  })

  it.each([
    ...otherSchemes.map((written) => ['not found', ...written, noAuthHeader] as const),
    ...malformed.map((written) => ['malformed', ...written, badAuthHeader] as const),
  ])('is %s on every route with %s', async (_outcome, _name, write, expected) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const headers = { Authorization: write(token) }
    for (const { method, path } of bearerRoutes) expectResponse(await host.send(method, path, { headers }), expected)
    await expectAccepted(host, token)
  })

  it.each(duplicates)('is malformed on every route when it is sent twice: %s', async (_, write) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const [first, second] = write(`Bearer ${token}`)
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
    const headers = { ...bearer((await openSession(host)).token).headers, 'X-Names': 'authorization' }
    expect(await host.send('GET', '/reports', { headers })).toMatchObject({ status: 200 })
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
})
