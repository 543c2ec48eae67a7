import { bearer, json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import type { Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import {
  expectResponse,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  rateLimited,
  withoutDate,
} from './support/expected-responses.js'
import { requestToken } from './support/flows.js'
import { behindProxies, express5Framework, frameworks } from './support/frameworks.js'
import { startHost, type TestHost } from './support/test-host.js'

const threeHours = 10_800

/** Counts the passwords that were checked. */
const checksOf = ({ users }: TestHost): number => users.calls.filter((method) => method === 'verifyPassword').length

const fail = async (host: TestHost, times: number, username = 'ada'): Promise<void> => {
  for (let count = 0; count < times; count += 1)
    expectResponse(await requestToken(host, username, 'wrong'), loginFailed)
}

describe('the limit of failed logins', () => {
  it('responds with 429 to correct and wrong passwords, and checks none', async () => {
    const host = await startHost(express5Framework)
    await fail(host, 10)
    const right = await requestToken(host)

    expectResponse(right, rateLimited(threeHours))
    expect(withoutDate(await requestToken(host, 'ada', 'wrong'))).toStrictEqual(withoutDate(right))
    expect(checksOf(host)).toBe(10)
    expect(host.reports).toStrictEqual([])
  })

  it.each(byName(frameworks))('ignores the headers in which a client names an address on %s', async (_, framework) => {
    const host = await startHost(framework)
    const claims = ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'X-Client-IP']
    await fail(host, 9)
    const message = (value: string) =>
      json({ username: 'ada', password: 'wrong' }, Object.fromEntries(claims.map((name) => [name, value])))
    await host.send('POST', '/jwt-auth/v1/token', message('198.51.100.1'))

    expectResponse(await host.send('POST', '/jwt-auth/v1/token', message('198.51.100.2')), rateLimited(threeHours))
  })
})

const takeAddressFromHeader: Middleware = (req, _res, next) => {
  Object.defineProperty(req, 'ip', { value: req.headers['x-real-ip'] })
  next()
}

describe('the limit of refused tokens', () => {
  const options = { rateLimits: { tokens: { points: 3, durationSeconds: 60 } }, sessionRoutes: true }

  it.each([
    ['POST', '/token/refresh', json({ refresh_token: `jwtauth_rt_${'A'.repeat(64)}` }), invalidRefreshToken],
    ['POST', '/refresh', json({ refresh_token: 'nonsense' }), invalidRefreshToken],
    ['POST', '/token/validate', bearer('nonsense'), invalidToken()],
    ['POST', '/validate', bearer('nonsense'), invalidToken()],
    ['POST', '/token/revoke', bearer('nonsense'), invalidToken()],
    ['GET', '/me', bearer('nonsense'), invalidToken()],
    ['DELETE', '/sessions/a', bearer('nonsense'), invalidToken()],
  ])('responds with 429 at %s %s to one network', async (method, path, message, refused) => {
    const { send } = await startHost(express5Framework, { options, before: [takeAddressFromHeader] })
    for (let count = 0; count < 3; count += 1)
      expectResponse(await send(method, `/jwt-auth/v1${path}`, message), refused)

    expectResponse(await send(method, `/jwt-auth/v1${path}`, message), rateLimited(60))
    const elsewhere = { ...message, headers: { ...message.headers, 'X-Real-IP': '198.51.100.1' } }
    expectResponse(await send(method, `/jwt-auth/v1${path}`, elsewhere), refused)
  })

  it('does not apply to the guard', async () => {
    const { send } = await startHost(express5Framework, { options })
    for (let count = 0; count < 20; count += 1) {
      expectResponse(await send('GET', '/reports', bearer('nonsense')), invalidToken())
    }
  })
})

const toAddress = (number: number): string => `198.51.100.${number}`

// Which text is an address, and of which network: packages/core/test/network.test.ts.
describe.each([
  ['trusted counts the address that the proxy forwards', 'loopback', toAddress, 12],
  ['trusted counts the last address', 1, (n: number) => `${toAddress(n)}, 203.0.113.1`, 10],
  ['not trusted counts the proxy itself', false, toAddress, 10],
] as const)('the limit of failed logins behind a proxy that is %s', (_, trust, addressOf, judged) => {
  it.each(byName(behindProxies(trust)))('on %s', async (_, framework) => {
    const host = await startHost(framework)
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      const forwarded = { 'X-Forwarded-For': addressOf(attempt) }
      await host.send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password: 'wrong' }, forwarded))
    }
    expect(checksOf(host)).toBe(judged)
  })
})
const logInFrom = ({ send }: TestHost, address: string, given: string) =>
  send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password: given }, { 'X-Real-IP': address }))

describe('an address that middleware of the application found', () => {
  it.each(byName(frameworks))('is the one that counts on %s', async (_, framework) => {
    const host = await startHost(framework, { before: [takeAddressFromHeader] })
    for (let count = 0; count < 10; count += 1) await logInFrom(host, '198.51.100.1', 'wrong')

    expectResponse(await logInFrom(host, '198.51.100.1', 'wrong'), rateLimited(threeHours))
    expectResponse(await logInFrom(host, '198.51.100.2', 'wrong'), loginFailed)
  })
})
