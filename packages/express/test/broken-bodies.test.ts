import { json } from '@jwt-auth/test-support/http-client'
import { readMember } from '@jwt-auth/test-support/read-json'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { textHosts, unparsedHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import { expectResponse, internalError, invalidJson, unsupportedMediaType } from './support/expected-responses.js'
import { requestToken } from './support/flows.js'
import { express4Framework, express5Framework, frameworks } from './support/frameworks.js'
import { startHost } from './support/test-host.js'

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

const readers = ['/jwt-auth/v1/token', '/jwt-auth/v1/token/refresh', '/jwt-auth/v1/refresh']

// Two ways to the text: our own reader, and the text or bytes that a parser of the application left.
describe.each(byName([...unparsedHosts, ...textHosts].filter(({ name }) => name.startsWith('Express 5'))))(
  'a broken JSON body on %s',
  (_, { framework, before }) => {
    it.each(byName(brokenTexts))('responds with 400 without params: %s', async (_, { text }) => {
      const host = await startHost(framework, { before })
      for (const path of readers)
        expectResponse(await host.send('POST', path, { ...json({}), body: text }), invalidJson)

      expect({ users: host.users.calls, storage: host.storage.calls }).toStrictEqual({ users: [], storage: [] })
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
