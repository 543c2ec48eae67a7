import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import createKnex, { type Knex } from 'knex'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAbandoner } from '../src/abandon-connection.js'

const limitMs = 20
const many = 10
/** For a busy machine. */

let sockets: Set<Socket>
let server: Server
let port: number

/** Takes connections and never says a word. */
beforeEach(async () => {
  sockets = new Set()
  server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    socket.resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

/** Gives up more connections than may be cancelled at once; answers how many of them are closed. */
const abandonMany = (knex: Knex): (() => number) => {
  const abandon = createAbandoner(knex, limitMs)
  let closed = 0
  const destroy = (): void => {
    closed += 1
  }
  for (let number = 0; number < many; number += 1) abandon({ processID: 1, threadId: 1, destroy }, 'late')
  return () => closed
}

describe.each(['pg', 'mysql2'])('connections of %s that are given up', (client) => {
  const connect = (): Knex => createKnex({ client, connection: { host: '127.0.0.1', port, user: 'x', password: 'y' } })

  it('are all closed while the server is silent, and so are those that were to cancel their statements', async () => {
    const countClosed = abandonMany(connect())
    await once(server, 'connection')
    await expect.poll(countClosed).toBe(many)
    await expect.poll(() => sockets.size).toBe(0)
  })

  it('are all closed when cancellations never come to an end', async () => {
    const knex = connect()
    knex.client.cancelQuery = () => new Promise(() => {})
    await expect.poll(abandonMany(knex)).toBe(many)
  })

  it('leave no connection behind when the server accepts a cancellation and never answers it', async () => {
    const knex = connect()
    let closed = 0
    const destroy = (): void => {
      closed += 1
    }
    knex.client.acquireRawConnection = async () => ({ destroy })
    knex.client._wrappedCancelQueryCall = () => new Promise(() => {})
    createAbandoner(knex, limitMs)({ destroy: () => {} }, 'late')
    await expect.poll(() => closed).toBe(1)
  })
})

describe.each(['mysql2'])('a connection of %s that is given up', (client) => {
  it('is closed though the server never closes its side', async () => {
    // The peer of a vanished server: it acknowledges nothing, an end of the stream included.
    const halfOpen = createServer({ allowHalfOpen: true }, (socket) => sockets.add(socket.resume())).listen(
      0,
      '127.0.0.1',
    )
    await once(halfOpen, 'listening')
    const knex = createKnex({ client, connection: {} })
    knex.client.cancelQuery = async () => {}
    const connection = knex.client.driver
      .createConnection({ host: '127.0.0.1', port: Reflect.get(Object(halfOpen.address()), 'port') })
      .on('error', () => {})
    await once(halfOpen, 'connection')
    createAbandoner(knex, limitMs)(connection, 'late')
    await expect.poll(() => connection.stream.destroyed).toBe(true)
    halfOpen.close()
  })
})
