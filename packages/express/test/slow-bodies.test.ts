import { randomBytes } from 'node:crypto'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { expectResponse, invalidJson } from './support/expected-responses.js'
import { type Framework, frameworks } from './support/frameworks.js'
import { readRawResponse, sendText } from './support/raw-request.js'
import { startHost } from './support/test-host.js'
import { password } from './support/test-users.js'

const body = JSON.stringify({ username: 'ada', password })
const timeout = 10_000

const head = (path: string, ...headers: readonly string[]): string =>
  [`POST /jwt-auth/v1${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n')

const slowRequests = [
  { name: 'that never starts', text: head('/token', `Content-Length: ${body.length}`) },
  {
    name: 'that stops before its end',
    text: `${head('/token', `Content-Length: ${body.length}`)}${body.slice(0, -1)}`,
  },
  { name: 'that stops between chunks', text: `${head('/token', 'Transfer-Encoding: chunked')}2\r\n{"\r\n` },
  { name: 'of a refresh', text: `${head('/token/refresh', 'Content-Length: 99')}{` },
]

const startTimedHost = async (framework: Framework) => {
  const clock = createTestClock()
  const options = withSystem({ now: clock.now, randomBytes, startTimer: clock.startTimer })
  return startHost(framework, { clock, options })
}

describe.each(byName(frameworks))('a body on %s', (_, framework) => {
  it.each(byName(slowRequests))(
    '%s responds with 400 at its timeout, and its connection is closed',
    async (_, { text }) => {
      const host = await startTimedHost(framework)
      const overdue = host.clock.timerStarted(timeout)
      const socket = sendText(host.port, text)
      await overdue
      host.clock.fireTimers(timeout)
      // Read until the server ends the connection: the client leaves its side open.
      const response = await readRawResponse(socket)

      expectResponse(response, invalidJson)
      expect(response.headers).toMatchObject({ connection: 'close' })
      expect({ calls: host.users.calls, reports: host.reports }).toStrictEqual({ calls: [], reports: [] })
      expect(host.clock.timers()).toStrictEqual([])
    },
  )

  it('that arrives in time is read, and its connection serves the next request', async () => {
    const host = await startTimedHost(framework)
    const started = host.clock.timerStarted(timeout)
    const socket = sendText(host.port, head('/token', `Content-Length: ${body.length}`))
    await started
    socket.write(`${body}${head('/token/validate', 'Connection: close')}`)
    const received = await readRawResponse(socket)

    expect(received.status).toBe(200)
    expect(received.text).toContain('HTTP/1.1 401')
    expect(host.clock.timers()).toStrictEqual([])
  })
})
