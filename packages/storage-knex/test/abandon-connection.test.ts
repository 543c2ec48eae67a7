import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import createKnex, { type Knex } from 'knex'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAbandoner } from '../src/abandon-connection.js'

const limitMs = 20
const many = 10

let sockets: Set<Socket>
let server: Server
let port: number

/** Accepts connections and never responds. */
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

/** Returns what the driver's connection to a port holds for its cancellation. */
const connectedTo: Record<string, (knex: Knex, port: number) => object> = {
  pg: (_, port) => ({ host: '127.0.0.1', port, ssl: false, processID: 1, secretKey: 2 }),
  mysql2: ({ client }, port) => ({
    config: new client.driver.ConnectionConfig({ host: '127.0.0.1', port, user: 'x', password: 'y' }),
    threadId: 1,
  }),
}

const createClient = (client: string): Knex => createKnex({ client, connection: {} })

describe.each(['pg', 'mysql2'])('an abandoned connection of %s', (client) => {
  const knex = createClient(client)
  const connect = (): object => connectedTo[client]?.(knex, port) ?? {}

  it('is closed, like the connection of its cancellation, when the server never responds to many of them', async () => {
    const abandon = createAbandoner(knex, limitMs)
    let closed = 0
    const destroy = (): void => {
      closed += 1
    }
    for (let number = 0; number < many; number += 1) abandon({ ...connect(), destroy }, 'late')
    await once(server, 'connection')
    await expect.poll(() => closed).toBe(many)
    await expect.poll(() => sockets.size).toBe(0)
  })

  it('is not ended by the pool before the server has received the cancellation', async () => {
    const order: string[] = []
    server.on('connection', (socket) => {
      order.push('cancelled')
      socket.destroy()
    })
    const end = (done: () => void): void => {
      order.push('ended')
      done()
    }
    const connection = { ...connect(), end }
    createAbandoner(knex)(connection, 'late')
    await new Promise<void>((resolve) => connection.end(resolve))
    expect(order).toEqual(['cancelled', 'ended'])
  })

  it('is closed immediately when the driver does not know which statement to cancel', async () => {
    let closed = 0
    createAbandoner(knex)({ destroy: () => (closed += 1) }, 'late')
    await expect.poll(() => closed).toBe(1)
  })
})

describe('an abandoned connection of mysql2', () => {
  const knex = createClient('mysql2')

  it('is closed when the server accepts the cancellation and never responds', async () => {
    const queries: string[] = []
    server.removeAllListeners('connection').on('connection', (stream) => {
      sockets.add(stream.on('close', () => sockets.delete(stream)))
      const { Connection, ConnectionConfig } = knex.client.driver
      const accepted = new Connection({ config: new ConnectionConfig({ stream, isServer: true }) })
      accepted.on('error', () => {}).on('query', (sql: string) => queries.push(sql))
      const authCallback = (_: unknown, allow: (error: null) => void): void => {
        allow(null)
        accepted._resetSequenceId()
      }
      const capabilityFlags = 0xf7df
      accepted.serverHandshake({
        protocolVersion: 10,
        serverVersion: '9',
        connectionId: 1,
        capabilityFlags,
        authCallback,
      })
    })
    let closed = 0
    const destroy = (): void => {
      closed += 1
    }
    createAbandoner(knex, 300)({ ...connectedTo['mysql2']?.(knex, port), destroy }, 'late')
    await expect.poll(() => closed).toBe(1)
    expect(queries).toEqual(['kill query 1'])
    await expect.poll(() => sockets.size).toBe(0)
  })

  it('is closed although the server never closes its side', async () => {
    // The peer of a vanished server: it acknowledges nothing, not even the end of the stream.
    const halfOpen = createServer({ allowHalfOpen: true }, (socket) => sockets.add(socket.resume())).listen(
      0,
      '127.0.0.1',
    )
    await once(halfOpen, 'listening')
    const connection = knex.client.driver
      .createConnection({ host: '127.0.0.1', port: Reflect.get(Object(halfOpen.address()), 'port') })
      .on('error', () => {})
    await once(halfOpen, 'connection')
    createAbandoner(knex, limitMs)(connection, 'late')
    await expect.poll(() => connection.stream.destroyed).toBe(true)
    halfOpen.close()
  })
})
