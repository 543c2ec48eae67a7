import { readFile } from 'node:fs/promises'
import { json } from '@jwt-auth/test-support/http-client'
import { watchWarnings } from '@jwt-auth/test-support/recorders'
import { describe, expect, it } from 'vitest'
import type { JwtAuthOptions, Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import { requestToken } from './support/flows.js'
import { behindProxies, express5Framework, type Framework, frameworks } from './support/frameworks.js'
import { type Recipe, readRecipes, startRecipe } from './support/recipes.js'
import { createClient, type HostSetup, listen, startHost } from './support/test-host.js'

const warnings = watchWarnings('JWT_AUTH_PROXY')

const oneAttempt = { accountAndNetwork: { points: 1, durationSeconds: 60 } }

const wrong = (headers: Readonly<Record<string, string>>) => json({ username: 'ada', password: 'wrong' }, headers)

/** A function of an application without types. */
const returning = (value: string) => () => value

/** The statuses of failed logins with these headers, one after the other. */
const logInWith = async (port: number, headers: readonly Readonly<Record<string, string>>[]): Promise<number[]> => {
  const send = createClient(port)
  const statuses: number[] = []
  for (const each of headers) statuses.push((await send('POST', '/jwt-auth/v1/token', wrong(each))).status)
  return statuses
}

const start = (clientAddress: JwtAuthOptions['clientAddress']) =>
  startHost(express5Framework, { options: { rateLimits: oneAttempt, clientAddress } })

describe.each(byName(frameworks))('the option clientAddress on %s', (_, framework) => {
  it('determines the network whose failed logins are limited', async () => {
    const host = await startHost(framework, {
      options: { rateLimits: oneAttempt, clientAddress: (req) => req.headers['x-client'] },
    })
    const [a, b] = [{ 'X-Client': '198.51.100.1' }, { 'X-Client': '198.51.100.2' }]
    expect(await logInWith(host.port, [a, a, b, b])).toEqual([403, 429, 403, 429])
    expect(warnings()).toEqual([])
  })

  it('determines the address that a session keeps', async () => {
    const host = await startHost(framework, { options: { clientAddress: () => '2001:db8::1' } })
    await requestToken(host)
    expect(await host.auth.sessions.list(7)).toMatchObject([{ ipAddress: '2001:db8::1' }])
  })
})

describe('the option clientAddress', () => {
  it.each<[string, unknown, string]>([
    ['a missing result', undefined, 'nothing'],
    ['a list of addresses', '198.51.100.1, 198.51.100.2', 'a string'],
    ['an array of addresses', ['198.51.100.1', '198.51.100.2'], 'an array'],
    ['a promise', Promise.resolve('198.51.100.1'), 'a promise'],
    ['the text of a client', '<script>', 'a string'],
  ])('counts %s as one unknown network, and warns once without the value', async (_, value, received) => {
    const { port } = await start(Reflect.apply(returning, undefined, [value]))
    expect(await logInWith(port, [{}, {}])).toEqual([403, 429])
    expect(warnings()).toEqual([
      [expect.stringContaining(`\`clientAddress\` returned ${received}, and no IP address`), expect.anything()],
    ])
    expect(String(warnings()[0])).not.toMatch(/script|198/)
  })

  it('that throws fails the request with 500, and onError receives the error', async () => {
    const thrown = new Error('of the application')
    const host = await start(() => {
      throw thrown
    })
    expect(await requestToken(host)).toMatchObject({ status: 500 })
    const { accessToken } = await host.auth.sessions.create(7)
    const bearer = { headers: { Authorization: `Bearer ${accessToken}` } }
    expect(await host.send('GET', '/reports', bearer)).toMatchObject({ status: 500 })
    expect(host.reports.map(({ cause }) => cause)).toEqual([thrown, thrown])
  })
})

const recipes = readRecipes(await readFile(new URL('../../../docs/guide/start.md', import.meta.url), 'utf8'))

describe('a recipe of the guide for proxies', () => {
  const forwarded = (address: string) => ({ 'X-Forwarded-For': `203.0.113.9, ${address}` })
  const ofCloudflare = (address: string) => ({ 'CF-Connecting-IP': address, 'X-Forwarded-For': '203.0.113.9' })

  it('exists for each framework', () => {
    expect(recipes.map(({ name }) => name)).toEqual(['Connect and `node:http`', 'Behind a CDN,', 'Fastify', 'Koa'])
  })

  it.each(recipes.map((recipe): [string, Recipe] => [recipe.name, recipe]))(
    'limits each client by its own address, which no header of the client changes: %s',
    async (name, recipe) => {
      const toHeaders = name === 'Behind a CDN,' ? ofCloudflare : forwarded
      const port = await listen(await startRecipe(recipe, { rateLimits: oneAttempt }))
      const [a, b] = [toHeaders('198.51.100.1'), toHeaders('198.51.100.2')]
      expect(await logInWith(port, [a, a, b, b])).toEqual([403, 429, 403, 429])
      expect(await createClient(port)('GET', '/elsewhere')).toMatchObject({ status: 404 })
      expect(warnings()).toEqual([])
    },
  )
})

/** The warnings of two logins with a header, after a request without it. */
const warningsFor = async (framework: Framework, header: string, setup?: HostSetup) => {
  const host = await startHost(framework, setup)
  await host.send('POST', '/jwt-auth/v1/token')
  const message = json({ username: 'ada', password: 'wrong' }, { [header]: 'for=198.51.100.1' })
  for (let count = 0; count < 2; count += 1) await host.send('POST', '/jwt-auth/v1/token', message)
  return warnings()
}

const unreadHeader = [
  expect.stringMatching(/the client's address is read from the socket.*app\.set\('trust proxy', 1\)/),
  { type: 'JwtAuthWarning', code: 'JWT_AUTH_PROXY' },
]
const trustsEverybody = [
  expect.stringMatching(/`trust proxy` is true.*app\.set\('trust proxy', 1\)/),
  { type: 'JwtAuthWarning', code: 'JWT_AUTH_PROXY' },
]

const setIp: Middleware = (req, _res, next) => {
  Object.defineProperty(req, 'ip', { value: '198.51.100.1' })
  next()
}

describe.each(byName(frameworks))('the proxy warning on %s', (_, framework) => {
  it.each(['X-Forwarded-For', 'Forwarded'])('is emitted once for an unread header %s', async (header) => {
    expect(await warningsFor(framework, header)).toEqual([unreadHeader])
  })

  it('is not emitted without such a header', async () => {
    expect(await warningsFor(framework, 'X-Request-Id')).toEqual([])
  })
})

describe.each(['Connect', 'node:http'])('the proxy warning on %s', (name) => {
  it('is not emitted when middleware of the application found the address', async () => {
    const framework = frameworks.find((one) => one.name === name) ?? expect.unreachable()
    expect(await warningsFor(framework, 'X-Forwarded-For', { before: [setIp] })).toEqual([])
  })
})

describe.each(['Express 5', 'Express 4'])('the proxy warning on %s', (name) => {
  const behind = (trust: unknown) => behindProxies(trust).find((one) => one.name === name) ?? expect.unreachable()

  it.each<[string, unknown]>([
    ['a number', 1],
    ['a name', 'loopback'],
    ['a list of networks', ['10.0.0.0/8']],
    ['a function', () => true],
  ])('is not emitted when `trust proxy` is %s', async (_, trust) => {
    expect(await warningsFor(behind(trust), 'X-Forwarded-For')).toEqual([])
  })

  it('is emitted once when the peer of a Unix socket has no address to trust', async () => {
    const removeIp: Middleware = (req, _res, next) => next(void Object.defineProperty(req, 'ip', { value: undefined }))
    expect(await warningsFor(behind('loopback'), 'X-Forwarded-For', { before: [removeIp] })).toEqual([unreadHeader])
  })

  it('is emitted once when `trust proxy` is the text of a number', async () => {
    expect(await warningsFor(behind('1'), 'X-Forwarded-For')).toEqual([
      [
        expect.stringMatching(/`trust proxy` is the text of a number.*to a number/),
        { type: 'JwtAuthWarning', code: 'JWT_AUTH_PROXY' },
      ],
    ])
  })

  it('is emitted once for `trust proxy: true`, with or without a header', async () => {
    const host = await startHost(behind(true))
    for (let count = 0; count < 2; count += 1) await requestToken(host)
    expect(warnings()).toEqual([trustsEverybody])
  })
})
