import { once } from 'node:events'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'

const message = (type: string, body: Buffer | string): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1)
  return Buffer.concat([head, Buffer.from(body)])
}

const welcomeAndEnd = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('K', Buffer.alloc(8, 1)),
  message('Z', 'I'),
  message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
])

/**
 * Starts a PostgreSQL for one test that ends each connection right after it has opened it, so that a
 * client reads both in one piece. Resolves to its URL.
 */
export const startEndingPostgres = async (): Promise<string> => {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(welcomeAndEnd)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `postgres://x@127.0.0.1:${Reflect.get(Object(server.address()), 'port')}/x`
}
