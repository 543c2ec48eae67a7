import { readFile } from 'node:fs/promises'
import { json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import type { JwtAuthOptions } from '../src/index.js'
import { byName } from './support/by-name.js'
import { requestToken } from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { type Recipe, readRecipes, startRecipe } from './support/recipes.js'
import { createClient, listen, startHost } from './support/test-host.js'
import { watchWarnings } from './support/watch-warnings.js'

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
    ['a list of addresses', '198.51.100.1, 198.51.100.2', 'a list'],
    ['an array of addresses', ['198.51.100.1', '198.51.100.2'], 'a list'],
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
