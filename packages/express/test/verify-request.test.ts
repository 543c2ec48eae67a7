import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { HttpResponse } from '@jwt-auth/test-support/http-client'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import { type AuthEvent, claimEquals, hasScope, type JwtAuthOptions, type RequestRules } from '../src/index.js'
import {
  badAuthHeader,
  type ContractResponse,
  expectResponse,
  forbidden,
  insufficientScope,
  internalError,
  invalidToken,
  loginTooOld,
  noAuthHeader,
  unavailable,
} from './support/expected-responses.js'
import { openSession, sessionOf } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { startHost, type TestHost } from './support/test-host.js'

const url = 'https://api.example.com/reports?secret=1'

type Header = readonly [name: string, value: string]

const toWeb = (...headers: readonly Header[]): Request =>
  new Request(url, { headers: headers.map(([...pair]) => pair) })

/** Returns a request as Node's parser creates it. */
const toNode = (...headers: readonly Header[]): IncomingMessage => {
  const req = new IncomingMessage(new Socket())
  req.method = 'GET'
  req.url = '/reports?secret=1'
  req.rawHeaders = headers.flat()
  for (const [name, value] of headers) req.headers[name.toLowerCase()] ??= value
  return req
}

const kinds: readonly (readonly [string, (...headers: readonly Header[]) => Request | IncomingMessage])[] = [
  ['a Request of the Fetch API', toWeb],
  ['the request of Node', toNode],
]

const authorization = (value: string): Header => ['Authorization', value]
const bearer = (token: string): Header => authorization(`Bearer ${token}`)

const start = async (options: Partial<JwtAuthOptions> = {}) => {
  const events: AuthEvent[] = []
  const host = await startHost(express5Framework, {
    options: { onEvent: (event) => events.push(event), claims: () => ({ role: 'member', scope: 'a' }), ...options },
  })
  const { token } = await openSession(host)
  events.length = 0
  return { ...host, events, token }
}

/** Returns the response for an error, as a client would receive it. */
const toHttpResponse = async (response: Response): Promise<HttpResponse> => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  text: await response.text(),
})

/** Expects a rejection, whose response is that of a guard. */
const expectRejection = async (
  { auth }: Pick<TestHost, 'auth'>,
  verifying: Promise<unknown>,
  expected: ContractResponse,
): Promise<void> => {
  const thrown: unknown = await verifying.then(
    () => expect.fail('the request was accepted'),
    (error: unknown) => error,
  )
  expect(thrown).toMatchObject({ name: 'AuthError', status: expected.status })
  expectResponse(await toHttpResponse(auth.toErrorResponse(thrown)), expected)
}

describe('verify', () => {
  it('resolves to the user, the session and the claims of a valid token, frozen', async () => {
    const { auth, token } = await start()
    const { claims } = decodeToken(token)
    const caller = await auth.verify(token)

    expect(caller).toEqual({ userId: 7, sessionId: claims['sid'], claims })
    expect(Object.isFrozen(caller) && Object.isFrozen(caller.claims)).toBe(true)
  })
})

describe.each(kinds)('verifyRequest with %s', (_, make) => {
  it('resolves to the user, the session and the claims of a valid token', async () => {
    const { auth, token } = await start()
    expect(await auth.verifyRequest(make(bearer(token)))).toEqual(await auth.verify(token))
  })

  it.each<readonly [string, readonly Header[], ContractResponse]>([
    ['no header', [], noAuthHeader],
    ['another scheme', [authorization('Basic YTpi')], noAuthHeader],
    ['nothing after the scheme', [authorization('Bearer')], badAuthHeader],
    ['a bearer header before another', [authorization('Bearer a'), authorization('Basic YTpi')], badAuthHeader],
    ['an invalid token', [authorization('Bearer abc')], invalidToken()],
  ])('rejects as a guard does with %s', async (_, headers, expected) => {
    const host = await start()
    await expectRejection(host, host.auth.verifyRequest(make(...headers)), expected)
  })

  it('rejects with 503 when the storage fails, and onError receives the failure once', async () => {
    const host = await start()
    host.storage.fail(storageFailure, 'findByIds')
    await expectRejection(host, host.auth.verifyRequest(make(bearer(host.token))), unavailable)
    expect(host.reports).toMatchObject([{ code: 'jwt_auth_unavailable' }])
  })

  it.each<readonly [string, RequestRules, ContractResponse]>([
    ['a rule that refuses', { allow: claimEquals('role', 'admin') }, forbidden],
    ['a missing scope', { allow: hasScope('b') }, insufficientScope('b')],
    ['a login that is too old', { maxAuthAgeSeconds: 1 }, loginTooOld(1)],
  ])('applies the rules of a guard: %s', async (_, rules, expected) => {
    const host = await start()
    host.clock.advanceMs(2_000)
    await expectRejection(host, host.auth.verifyRequest(make(bearer(host.token)), { ...rules }), expected)
    expect(host.events).toMatchObject([{ type: 'request_rejected', userId: 7, sessionId: sessionOf(host.token) }])
  })

  it('emits one request_rejected event for each rejected request', async () => {
    const host = await start()
    const reject = (...headers: readonly Header[]) => host.auth.verifyRequest(make(...headers)).catch(() => {})
    await reject()
    await reject(authorization('Bearer'))
    await reject(bearer('abc'))
    const rejected = { type: 'request_rejected', userId: undefined, sessionId: undefined, ipAddress: null }
    expect(host.events).toMatchObject([
      { ...rejected, code: 'jwt_auth_no_auth_header' },
      { ...rejected, code: 'jwt_auth_bad_auth_header' },
      { ...rejected, code: 'jwt_auth_invalid_token' },
    ])
  })
})

describe('verifyRequest', () => {
  it('takes an object with the headers of a request', async () => {
    const { auth, token } = await start()
    const headers = new Headers([[...bearer(token)]])
    expect(await auth.verifyRequest({ headers })).toMatchObject({ userId: 7 })
  })

  it('takes no header of a client for a method of Headers', async () => {
    const host = await start()
    await expectRejection(host, host.auth.verifyRequest(toNode(['Get', 'Bearer abc'])), noAuthHeader)
  })

  it.each<readonly [string, object]>([
    ['accepts', {}],
    ['accepts, with an address,', { ip: '198.51.100.1' }],
  ])('%s the request of a test, which has no raw headers and no socket, as a guard does', async (_, members) => {
    const { auth, token } = await start()
    const toRequest = (...headers: readonly Header[]) => ({
      ...{ method: 'GET', url: '/reports', ...members },
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    })
    const verify = (request: object): unknown => Reflect.apply(auth.verifyRequest, undefined, [request])
    const guard = (request: object): Promise<unknown> =>
      new Promise((resolve) => {
        const res = new ServerResponse(new IncomingMessage(new Socket()))
        res.end = () => {
          resolve(res.statusCode)
          return res
        }
        Reflect.apply(auth.guard(), undefined, [request, res, () => resolve('passed on')])
      })
    expect(await verify(toRequest(bearer(token)))).toMatchObject({ userId: 7 })
    await expect(verify(toRequest(bearer('abc')))).rejects.toMatchObject({ code: 'jwt_auth_invalid_token' })
    expect(await guard(toRequest(bearer(token)))).toBe('passed on')
    expect(await guard(toRequest())).toBe(401)
  })

  it('makes getAuth and getUser work for the request of Node', async () => {
    const { auth, token } = await start()
    const req = toNode(bearer(token))
    expect(auth.getOptionalAuth(req)).toBeUndefined()
    const caller = await auth.verifyRequest(req, { checkUser: true })
    expect(auth.getAuth(req)).toBe(caller)
    expect(auth.getUser(req)).toMatchObject({ id: 7 })
  })

  it('rejects a bearer header after another one, which Headers joins with it', async () => {
    const host = await start()
    const headers = [authorization('Basic YTpi'), bearer(host.token)]
    await expectRejection(host, host.auth.verifyRequest(toWeb(...headers)), noAuthHeader)
    await expectRejection(host, host.auth.verifyRequest(toNode(...headers)), badAuthHeader)
  })

  it('emits the address of the request of Node', async () => {
    const host = await start({ clientAddress: () => '198.51.100.1' })
    await host.auth.verifyRequest(toNode()).catch(() => {})
    expect(host.events).toMatchObject([{ ipAddress: '198.51.100.1' }])
  })

  it.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['a request of Fastify', { headers: { authorization: 'Bearer abc' }, raw: toNode() }],
    ['the context of Koa', { headers: { authorization: 'Bearer abc' }, req: toNode() }],
    ['the headers alone', new Headers()],
  ])('refuses %s with an error that names the fix', async (_, request) => {
    const { auth } = await start()
    const verifying: unknown = Reflect.apply(auth.verifyRequest, undefined, [request])
    await expect(verifying).rejects.toThrow(/^jwt-auth: verifyRequest received neither a Request nor .*request\.raw/)
  })

  it.each<readonly [string, unknown, string]>([
    ['an unknown rule', { alow: () => true }, 'verifyRequest has no option `alow` (did you mean `allow`?)'],
    ['the option optional of a guard', { optional: true }, 'verifyRequest has no option `optional`'],
    ['a function', () => true, '`verifyRequest` received a function'],
  ])('refuses %s', async (_, rules, message) => {
    const { auth, token } = await start()
    const verifying: unknown = Reflect.apply(auth.verifyRequest, undefined, [toWeb(bearer(token)), rules])
    await expect(verifying).rejects.toThrow(message)
  })
})

describe('toErrorResponse', () => {
  it('has the realm of the service and nothing of the cause', async () => {
    const { auth } = await start({ realm: 'reports' })
    const response = auth.toErrorResponse(await auth.verify('abc').catch((error: unknown) => error))
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="reports", error="invalid_token"')
  })

  it('turns any other value into 500, and onError receives it as the cause', async () => {
    const { auth, reports } = await start()
    const thrown = new Error('a secret of the application')
    expectResponse(await toHttpResponse(auth.toErrorResponse(thrown)), internalError)
    expect(reports).toMatchObject([{ code: 'jwt_auth_internal_error', cause: thrown }])
  })
})
