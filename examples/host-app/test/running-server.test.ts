import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { trackConnections } from '../src/running-server.js'

const request = 'GET / HTTP/1.1\r\nHost: site\r\n\r\n'

it('a closed server responds on an idle connection, with `Connection: close`, until it closes idle connections', async () => {
  const server = createServer()
  const connections = trackConnections(server)
  server.on('request', (_req, response) => response.end('done'))
  onTestFinished(() => server.closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const open = async () => {
    const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1').setEncoding('utf8')
    socket.write(request)
    await once(socket, 'data')
    return socket
  }
  const [used, idle] = [await open(), await open()]
  connections.announceClose()
  const closed = once(server.close(), 'close')
  await setImmediate()
  used.write(request)
  expect(await text(used)).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n(.*\r\n)*done$/)
  connections.closeIdle()
  expect(await text(idle)).toBe('')
  await closed
})
