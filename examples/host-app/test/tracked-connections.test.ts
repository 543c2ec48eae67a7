import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, it, type TestContext } from 'vitest'
import { trackConnections } from '../src/tracked-connections.js'

const request = 'GET / HTTP/1.1\r\nHost: site\r\n\r\n'

/** Starts a server that responds immediately, unless the test responds itself. */
const open = async (
  onTestFinished: TestContext['onTestFinished'],
  respond: (response: ServerResponse) => void = (response) => response.end('done'),
) => {
  const server = createServer((_, response) => respond(response))
  const connections = trackConnections(server)
  onTestFinished(() => server.closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, connections }
}

const connectTo = (server: Server): Socket => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return connect(port, '127.0.0.1').setEncoding('utf8')
}

/** Sends text on a new connection, and waits for a response. */
const receive = async (server: Server, sent: string): Promise<Socket> => {
  const socket = connectTo(server)
  socket.write(sent)
  await once(socket, 'data')
  return socket
}

const closing = expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n(.*\r\n)*done$/)

it('a closed server responds to a request on an idle connection until it closes the idle connections', async ({
  onTestFinished,
}) => {
  const { server, connections } = await open(onTestFinished)
  const [used, idle] = [await receive(server, request), await receive(server, request)]
  connections.announceClose()
  const closed = once(server.close(), 'close')
  await setImmediate()
  used.write(request)
  expect(await text(used)).toEqual(closing)
  connections.closeIdle()
  expect(await text(idle)).toBe('')
  await closed
})

it('a closed server responds to a request of whose head one half arrived together with the previous request', async ({
  onTestFinished,
}) => {
  const { server, connections } = await open(onTestFinished)
  const socket = await receive(server, `${request}${request.slice(0, 20)}`)
  connections.announceClose()
  const closed = once(server.close(), 'close')
  connections.closeIdle()
  await setImmediate()
  socket.write(request.slice(20))
  expect(await text(socket)).toEqual(closing)
  await closed
})

it('a server that closes its idle connections sends the rest of a response that has ended', async ({
  onTestFinished,
}) => {
  const size = 20_000_000
  const { server, connections } = await open(onTestFinished, (response) => response.end('x'.repeat(size)))
  const idle = connectTo(server)
  await once(idle, 'connect')
  const socket = connectTo(server)
  socket.write(request)
  // The client reads nothing until the server has ended the response.
  await once(server, 'request')
  const closed = once(server.close(), 'close')
  connections.closeIdle()
  await setImmediate()
  const [, body] = (await text(socket)).split('\r\n\r\n')
  expect(body).toHaveLength(size)
  expect(await text(idle)).toBe('')
  await closed
})
