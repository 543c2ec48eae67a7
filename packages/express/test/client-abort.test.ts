import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { authenticated, expectResponse } from './support/expected-responses.js'
import { readTokens, requestToken } from './support/flows.js'
import { frameworks } from './support/frameworks.js'
import { createLatch, createLatchedUsers } from './support/latch.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const body = JSON.stringify({ username: 'ada', password })

const head = (...headers: readonly string[]): string =>
  ['POST /jwt-auth/v1/token HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n')

const cutRequests = [
  { name: 'in the middle of a body', text: `${head(`Content-Length: ${body.length}`)}${body.slice(0, 9)}` },
  { name: 'before the first byte of a body', text: head(`Content-Length: ${body.length}`) },
  { name: 'in the middle of a chunk', text: `${head('Transfer-Encoding: chunked')}ff\r\n${body.slice(0, 9)}` },
  { name: 'between two chunks', text: `${head('Transfer-Encoding: chunked')}5\r\n${body.slice(0, 5)}\r\n` },
]

const departures = [
  { name: 'resets', leave: (socket: ReturnType<typeof connect>) => socket.resetAndDestroy() },
  { name: 'closes', leave: (socket: ReturnType<typeof connect>) => socket.destroy() },
  { name: 'half-closes', leave: (socket: ReturnType<typeof connect>) => socket.end() },
]

const closeOf = (req: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    req.once('close', resolve)
  })

describe.each(byName(frameworks))('a client that disconnects from %s', (_, framework) => {
  describe.each(byName(cutRequests))('%s', (_, { text }) => {
    it.each(byName(departures))('and %s its connection does not affect the next request', async (_, { leave }) => {
      const gate = createLatch()
      let closed = Promise.resolve()
      const host = await startHost(framework, {
        before: [
          (req, _res, next) => {
            closed = closeOf(req)
            void gate.pass()
            next()
          },
        ],
      })
      const socket = connect(host.port, '127.0.0.1').on('error', () => {})
      socket.write(text)
      await gate.reached
      leave(socket)
      await closed
      await setImmediate()

      expect(host.users.calls).toStrictEqual([])
      const response = await requestToken(host)
      expectResponse(response, authenticated(readTokens(response), adaFields))
      expect(host.reports).toStrictEqual([])
    })
  })

  it.each(byName(departures))(
    'and %s its connection while other middleware runs is not reported',
    async (_, { leave }) => {
      const gate = createLatch()
      let closed = Promise.resolve()
      let passed = Promise.resolve()
      const host = await startHost(framework, {
        before: [
          (req, _res, next) => {
            closed = closeOf(req)
            passed = gate.pass().then(() => next())
          },
        ],
      })
      const socket = connect(host.port, '127.0.0.1').on('error', () => {})
      socket.write(`${head(`Content-Length: ${body.length}`)}${body.slice(0, 9)}`)
      await gate.reached
      leave(socket)
      await closed
      gate.open()
      await passed
      await setImmediate()

      const response = await requestToken(host)
      expectResponse(response, authenticated(readTokens(response), adaFields))
      expect(host.reports).toStrictEqual([])
    },
  )

  it('or has received a response from other middleware gets no second response', async () => {
    const gate = createLatch()
    const users = createLatchedUsers(gate)
    let respondEarly = (): void => {}
    const host = await startHost(framework, {
      options: { users },
      before: [
        (_req, res, next) => {
          respondEarly = () => {
            res.statusCode = 504
            res.end('too late')
            respondEarly = () => {}
          }
          next()
        },
      ],
    })
    const early = requestToken(host)
    await gate.reached
    respondEarly()
    expect((await early).status).toBe(504)
    gate.open()
    await setImmediate()
    await setImmediate()

    const response = await requestToken(host)
    expectResponse(response, authenticated(readTokens(response), adaFields))
    expect(host.reports).toStrictEqual([])
  })
})
