import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { createClock } from './support/clock.js'
import { authenticated, expectAnswer, invalidJson, noAuthHeader } from './support/expected-answers.js'
import { readTokens, requestToken } from './support/flows.js'
import { type Framework, frameworks } from './support/frameworks.js'
import { createHandTimers } from './support/hand-timers.js'
import { readRawAnswer, sendText } from './support/raw-request.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const body = JSON.stringify({ username: 'ada', password })
const [timeout, defaultTimeout] = [2_000, 10_000]

const head = (path: string, ...headers: readonly string[]): string =>
  [`POST /jwt-auth/v1${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n')

const slowRequests = [
  { name: 'that never begins', text: head('/token', `Content-Length: ${body.length}`) },
  { name: 'that stops on the way', text: `${head('/token', `Content-Length: ${body.length}`)}${body.slice(0, -1)}` },
  { name: 'that stops between chunks', text: `${head('/token', 'Transfer-Encoding: chunked')}2\r\n{"\r\n` },
  { name: 'of a refresh', text: `${head('/token/refresh', 'Content-Length: 99')}{` },
]

const startTimedHost = async (framework: Framework, bodyTimeoutMs?: number) => {
  const timers = createHandTimers()
  const clock = createClock()
  const options = { system: { now: clock.now, randomBytes, startTimer: timers.startTimer }, bodyTimeoutMs }
  return { timers, host: await startHost(framework, { clock, options }) }
}

describe.each(byName(frameworks))('a body on %s', (_, framework) => {
  it.each(byName(slowRequests))(
    '%s is answered 400 when its time is over, and its connection is closed',
    async (_, { text }) => {
      const { timers, host } = await startTimedHost(framework, timeout)
      const overdue = timers.started(timeout)
      const socket = sendText(host.port, text)
      await overdue
      timers.fire(timeout)
      // Read until the server ends the connection: the client leaves its side open.
      const answer = await readRawAnswer(socket)

      expectAnswer(answer, invalidJson)
      expect(answer.headers).toMatchObject({ connection: 'close' })
      expect({ calls: host.users.calls, reports: host.reports }).toStrictEqual({ calls: [], reports: [] })
      expect(timers.running()).toStrictEqual([])
    },
  )

  it('has ten seconds unless the host says otherwise', async () => {
    const { timers, host } = await startTimedHost(framework)
    const started = timers.started(defaultTimeout)
    const socket = sendText(host.port, head('/token', 'Content-Length: 9'))
    await started
    socket.destroy()
  })

  it('that arrives in time is read, and its connection serves the next request', async () => {
    const { timers, host } = await startTimedHost(framework, timeout)
    const started = timers.started(timeout)
    const socket = sendText(host.port, head('/token', `Content-Length: ${body.length}`))
    await started
    socket.write(`${body}${head('/token/validate', 'Connection: close')}`)
    const received = await readRawAnswer(socket)

    expect(received.status).toBe(200)
    expect(received.text).toContain('HTTP/1.1 401')
    expect(timers.running()).toStrictEqual([])
  })

  it('that never comes holds up no route that reads none', async () => {
    const { timers, host } = await startTimedHost(framework, timeout)
    const answer = await readRawAnswer(
      sendText(host.port, head('/token/validate', 'Content-Length: 99', 'Connection: close')),
    )

    expectAnswer(answer, noAuthHeader)
    expect(timers.running()).toStrictEqual([])
  })

  it('that never comes leaves the service answering others', async () => {
    const { timers, host } = await startTimedHost(framework, timeout)
    const started = timers.started(timeout)
    const socket = sendText(host.port, head('/token', 'Content-Length: 99'))
    await started
    const answer = await requestToken(host)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    socket.destroy()
  })
})
