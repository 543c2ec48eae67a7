import { json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import type { Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import { requestToken } from './support/flows.js'
import { behindProxies, type Framework, frameworks } from './support/frameworks.js'
import { type HostSetup, startHost } from './support/test-host.js'
import { watchWarnings } from './support/watch-warnings.js'

const warnings = watchWarnings('JWT_AUTH_PROXY')

/** The warnings of two logins with a header. */
const warningsFor = async (framework: Framework, header: string, setup?: HostSetup) => {
  const host = await startHost(framework, setup)
  const message = json({ username: 'ada', password: 'wrong' }, { [header]: 'for=198.51.100.1' })
  for (let count = 0; count < 2; count += 1) await host.send('POST', '/jwt-auth/v1/token', message)
  return warnings()
}

const unreadHeader = [
  expect.stringMatching(/the client's address is read from the socket.*app\.set\('trust proxy', 1\)/),
  { code: 'JWT_AUTH_PROXY' },
]
const trustsEverybody = [
  expect.stringMatching(/`trust proxy` is true.*app\.set\('trust proxy', 1\)/),
  { code: 'JWT_AUTH_PROXY' },
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

  it('is emitted once when `trust proxy` is the text of a number', async () => {
    expect(await warningsFor(behind('1'), 'X-Forwarded-For')).toEqual([
      [expect.stringMatching(/`trust proxy` is the text of a number.*to a number/), { code: 'JWT_AUTH_PROXY' }],
    ])
  })

  it('is emitted once for `trust proxy: true`, with or without a header', async () => {
    const host = await startHost(behind(true))
    for (let count = 0; count < 2; count += 1) await requestToken(host)
    expect(warnings()).toEqual([trustsEverybody])
  })
})
