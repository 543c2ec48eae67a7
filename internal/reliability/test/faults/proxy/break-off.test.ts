import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listen } from '@jwt-auth/test-support'
import { expect, it, onTestFinished } from 'vitest'
import { breakOff } from '../../../src/faults/proxy/proxied-connection.js'

/** Accepts a connection and resets it. Returns the last event of its socket. */
const breakOffAfter = async (act: (socket: Socket) => void): Promise<string> => {
  const server = createServer()
  onTestFinished(() => {
    server.close()
  })
  const client = connect(await listen(server), '127.0.0.1').on('error', () => {})
  const [socket]: Socket[] = await once(server, 'connection')
  if (socket === undefined) expect.unreachable()
  const ending = Promise.race([
    once(socket, 'close').then(() => 'close'),
    once(socket, 'error').then(([error]) => String(error)),
  ])
  act(socket)
  breakOff(socket)
  const ended = await ending
  client.destroy()
  return ended
}

it.each<[string, (socket: Socket) => void]>([
  ['that is open', () => {}],
  ['that has started to send its end', (socket) => socket.end()],
  ['that has bytes and its end to send', (socket) => socket.end('x'.repeat(10_000_000))],
  ['that is closed', (socket) => socket.destroy()],
])('breakOff closes a socket %s', async (_, act) => {
  expect(await breakOffAfter(act)).toBe('close')
})
