import { json } from '@jwt-auth/test-support/http-client'
import { readMember } from '@jwt-auth/test-support/read-json'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { bodyHosts, expectNothingAsked, readers, textHosts, unparsedHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectResponse,
  internalError,
  invalidJson,
  missingParameters,
  payloadTooLarge,
  unsupportedMediaType,
} from './support/expected-responses.js'
import { readTokens, requestToken } from './support/flows.js'
import { express4Framework, express5Framework, frameworks } from './support/frameworks.js'
import { sendRaw } from './support/raw-request.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const credentials = { username: 'ada', password }
const missingBoth = missingParameters('username', 'password')

const jsonTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'Application/JSON',
  'application/json; profile=x',
]

const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/json',
  'application/jsonp',
  'application/vnd.api+json',
  'application/octet-stream',
  'json',
  'application/json, text/plain',
  `application/json; a=${'b'.repeat(256)}`,
]

describe.each(byName(bodyHosts))('a request body on %s', (_, { framework, before }) => {
  it('is read with every spelling of the JSON type', async () => {
    const { send } = await startHost(framework, { before })
    for (const type of jsonTypes) {
      const response = await send('POST', '/jwt-auth/v1/token', json(credentials, { 'Content-Type': type }))
      expectResponse(response, authenticated(readTokens(response), adaFields))
    }
  })

  it('of another type, or without a type, responds with 415 without calling users or storage', async () => {
    const host = await startHost(framework, { before })
    for (const path of readers) {
      for (const type of otherTypes) {
        expectResponse(await host.send('POST', path, json(credentials, { 'Content-Type': type })), unsupportedMediaType)
      }
      expectResponse(await host.send('POST', path, { body: '{}' }), unsupportedMediaType)
    }
    expectNothingAsked(host)
  })

  it('that is missing or empty responds with 400 without calling users or storage', async () => {
    const host = await startHost(framework, { before })
    const headers = { 'Content-Type': 'application/json' }
    for (const path of readers) {
      const expected = path.endsWith('/token') ? missingBoth : missingParameters('refresh_token')
      expectResponse(await sendRaw(host.port, [`POST ${path} HTTP/1.1`]), expected)
      expectResponse(await host.send('POST', path, { body: '' }), expected)
      expectResponse(await host.send('POST', path, { headers, body: '' }), expected)
    }
    expectNothingAsked(host)
  })

  it('is the only source of parameters', async () => {
    const { send } = await startHost(framework, { before })
    const query = new URLSearchParams(credentials).toString()

    expectResponse(await send('POST', `/jwt-auth/v1/token?${query}`, json({})), missingBoth)
  })
})

describe('a content coding', () => {
  it.each(['gzip', 'br', 'deflate', 'zstd'])(
    'responds with 415, and neither users nor storage are asked: %s',
    async (coding) => {
      const host = await startHost(express5Framework)
      const message = json(credentials, { 'Content-Encoding': coding })

      expectResponse(await host.send('POST', '/jwt-auth/v1/token', message), unsupportedMediaType)
      expectNothingAsked(host)
    },
  )

  it('of the name identity is none', async () => {
    const host = await startHost(express5Framework)
    const response = await host.send(
      'POST',
      '/jwt-auth/v1/token',
      json(credentials, { 'Content-Encoding': 'identity' }),
    )

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })
})

const limitBytes = 16 * 1024

/** Valid credentials in a body of exactly this size. */
const credentialsOf = (bytes: number): string => {
  const body = { username: 'ada', password, filler: '' }
  return JSON.stringify({ ...body, filler: 'x'.repeat(bytes - JSON.stringify(body).length) })
}

describe.each(byName(bodyHosts))('the limit of a request body on %s', (_, { framework, before }) => {
  it.each([false, true])('accepts 16 KiB (in chunks: %s)', async (chunked) => {
    const { send } = await startHost(framework, { before })
    const response = await send('POST', '/jwt-auth/v1/token', { ...json({}), body: credentialsOf(limitBytes), chunked })

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it.each([false, true])(
    'responds with 413 to one byte more, and neither users nor storage are asked (in chunks: %s)',
    async (chunked) => {
      const host = await startHost(framework, { before })
      const message = { ...json({}), body: credentialsOf(limitBytes + 1), chunked }

      for (const path of readers) expectResponse(await host.send('POST', path, message), payloadTooLarge)
      expectNothingAsked(host)
    },
  )
})

describe('the limit of a request body', () => {
  it('counts bytes, not characters', async () => {
    const { send } = await startHost(express5Framework)
    const body = JSON.stringify({ username: 'ada', password, filler: '✓'.repeat(limitBytes / 2) })

    expectResponse(await send('POST', '/jwt-auth/v1/token', { ...json({}), body }), payloadTooLarge)
  })
})

// Parsers of the application with a larger limit.
const roomyHosts = [
  { name: 'Express 5', framework: express5Framework, before: [express5.json({ limit: '10mb' })] },
  { name: 'Express 4', framework: express4Framework, before: [express4.json({ limit: '10mb' })] },
]

describe.each(byName(roomyHosts))('a body behind express.json({ limit }) on %s', (_, { framework, before }) => {
  it('responds with 413 to lists in lists, 100,000 deep, also in chunks', async () => {
    const host = await startHost(framework, { before })
    const body = `{"username":${'['.repeat(100_000)}${']'.repeat(100_000)},"password":"x"}`
    for (const chunked of [false, true]) {
      expectResponse(await host.send('POST', '/jwt-auth/v1/token', { ...json({}), body, chunked }), payloadTooLarge)
    }

    expect(host.reports).toStrictEqual([])
  })
})

const brokenTexts = [
  { name: 'an open brace', text: '{' },
  { name: 'a comma too many', text: '{"username":"ada",}' },
  { name: 'single quotes', text: "{'username':'ada'}" },
  { name: 'a comment', text: '{} // comment' },
  { name: 'two values', text: '{}{}' },
  { name: 'a form', text: 'username=ada' },
  { name: 'only spaces', text: '   ' },
  { name: 'a list', text: '[]' },
  { name: 'a list of credentials', text: '[{"username":"ada","password":"x"}]' },
  { name: 'a text', text: '"ada"' },
  { name: 'a number', text: '7' },
  { name: 'true', text: 'true' },
  { name: 'null', text: 'null' },
]

// Two ways to the text: our own reader, and the text or bytes that a parser of the application left.
describe.each(byName([...unparsedHosts, ...textHosts].filter(({ name }) => name.startsWith('Express 5'))))(
  'a broken JSON body on %s',
  (_, { framework, before }) => {
    it.each(byName(brokenTexts))('responds with 400 without params: %s', async (_, { text }) => {
      const host = await startHost(framework, { before })
      for (const path of readers)
        expectResponse(await host.send('POST', path, { ...json({}), body: text }), invalidJson)

      expectNothingAsked(host)
    })
  },
)

describe('a body in another encoding', () => {
  it('responds with 400 when its bytes are not UTF-8', async () => {
    const { send } = await startHost(express5Framework)
    const body = Buffer.from('{"username":"ad\xe1","password":"x"}', 'latin1')

    expectResponse(await send('POST', '/jwt-auth/v1/token', { ...json({}), body }), invalidJson)
  })

  it('responds with 415 when its type names another charset than UTF-8', async () => {
    const { send } = await startHost(express5Framework)
    const message = json({}, { 'Content-Type': 'application/json; charset=iso-8859-1' })

    expectResponse(await send('POST', '/jwt-auth/v1/token', message), unsupportedMediaType)
  })
})

const looseHosts = [
  { name: 'Express 5', framework: express5Framework, before: [express5.json({ strict: false })] },
  { name: 'Express 4', framework: express4Framework, before: [express4.json({ strict: false })] },
]

describe.each(byName(looseHosts))(
  'JSON that is not an object, behind express.json({ strict: false }) on %s',
  (_, host) => {
    it.each(['null', '7', 'true', 'false', '"ada"', '[]'])('responds with 400 without params: %s', async (body) => {
      const { send } = await startHost(host.framework, { before: host.before })

      expectResponse(await send('POST', '/jwt-auth/v1/token', { ...json({}), body }), invalidJson)
    })
  },
)

describe.each(byName(frameworks))('a body behind middleware of the application on %s', (_, framework) => {
  it('responds with 500 and is reported when nothing of it is left', async () => {
    const host = await startHost(framework, { before: [(req, _res, next) => req.on('end', () => next()).resume()] })

    expectResponse(await requestToken(host), internalError)
    expect(host.reports.map(({ code, cause }) => [code, readMember(cause, 'message')])).toStrictEqual([
      ['jwt_auth_internal_error', expect.stringContaining('body')],
    ])
    expect(host.users.calls).toStrictEqual([])
  })

  it('responds with 500 and is reported when its stream was switched to text', async () => {
    const host = await startHost(framework, {
      before: [
        (req, _res, next) => {
          req.setEncoding('utf8')
          next()
        },
      ],
    })

    expectResponse(await requestToken(host), internalError)
    expect(host.reports).toHaveLength(1)
  })
})
