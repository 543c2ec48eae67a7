import { bearer, type HttpMessage, json } from '@jwt-auth/test-support/http-client'
import { parseJson } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { express5Framework } from './support/frameworks.js'
import { readRawResponse, sendText } from './support/raw-request.js'
import { startHost, type TestHost } from './support/test-host.js'
import { password } from './support/test-users.js'

const credentials = JSON.stringify({ username: 'ada', password })
const length = `Content-Length: ${credentials.length}`
const type = 'Content-Type: application/json'

/** Requests whose end or meaning two servers may see in two places (RFC 9112, section 11.2). */
const ambiguous = [
  { name: 'a length and chunks', fields: [type, length, 'Transfer-Encoding: chunked'] },
  { name: 'two lengths', fields: [type, length, 'Content-Length: 5'] },
  { name: 'a field over two lines', fields: [type, length, 'X-Folded: a\r\n b\r\n\tc: d'] },
]

// Node's parser refuses these before any framework is called.
describe('a request of doubtful form', () => {
  const send = async (host: TestHost, hosts: readonly string[], fields: readonly string[]) => {
    const lines = ['POST /jwt-auth/v1/token HTTP/1.1', ...hosts, ...fields, 'Connection: close', '', credentials]
    return readRawResponse(sendText(host.port, lines.join('\r\n')))
  }

  it.each(byName(ambiguous))('responds with 400 and ends its connection: %s', async (_, { fields }) => {
    const host = await startHost(express5Framework)

    expect(await send(host, ['Host: x'], fields)).toMatchObject({ status: 400 })
    expect({ calls: host.users.calls, reports: host.reports }).toStrictEqual({ calls: [], reports: [] })
  })

  it('is accepted with two Host fields, which nothing reads', async () => {
    const host = await startHost(express5Framework)

    expect(await send(host, ['Host: a', 'Host: b'], [type, length])).toMatchObject({ status: 200 })
  })

  it('is read by the first of two content types', async () => {
    const host = await startHost(express5Framework)
    const statusOf = async (...types: readonly string[]) =>
      (await send(host, ['Host: x'], [...types.map((one) => `Content-Type: ${one}`), length])).status

    expect(await statusOf('application/json', 'text/plain')).toBe(200)
    expect(await statusOf('text/plain', 'application/json')).toBe(415)
    expect(await statusOf('application/json, text/plain')).toBe(415)
  })
})

const marker = 'echo-me-7f3a'

const markedMessages: readonly (HttpMessage & { readonly name: string })[] = [
  {
    name: 'in a header',
    ...json({}, { 'X-Marker': marker, Origin: `https://${marker}.example`, Cookie: `a=${marker}` }),
  },
  { name: 'in the credential', ...bearer(marker) },
  { name: 'in the scheme', headers: { Authorization: `${marker} abc` } },
  { name: 'in the content type', ...json({}, { 'Content-Type': `application/${marker}` }) },
  { name: 'in the charset', ...json({}, { 'Content-Type': `application/json; charset=${marker}` }) },
  { name: 'in the content coding', ...json({}, { 'Content-Encoding': marker }) },
  { name: 'in the user agent and the address', ...json({}, { 'User-Agent': marker, 'X-Forwarded-For': marker }) },
  { name: 'in broken JSON', ...json({}), body: `{"username":"${marker}` },
  { name: 'in names', ...json({ [marker]: marker }) },
  { name: 'in parameters', ...json({ username: marker, password: marker, refresh_token: marker }) },
  { name: 'in parameters of another type', ...json({ username: [marker], password: {}, refresh_token: { marker } }) },
]

const targets = ['token', 'token/refresh', 'token/validate', 'token/revoke', 'me', 'validate', marker]

describe('a response under the namespace', () => {
  it.each(byName(markedMessages))(
    'repeats nothing of a request, in the body or in a header: text %s',
    async (_, message) => {
      const { send } = await startHost(express5Framework)
      for (const target of targets) {
        for (const method of ['GET', 'POST', 'PUT']) {
          const response = await send(method, `/jwt-auth/v1/${target}?${marker}=${marker}`, message)
          expect(JSON.stringify(response)).not.toContain(marker)
          expect(parseJson(response.text)).toMatchObject({ data: { status: response.status } })
        }
      }
    },
  )
})
