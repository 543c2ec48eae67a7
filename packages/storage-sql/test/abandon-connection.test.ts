import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { holdTimeouts } from '@jwt-auth/test-support/held-timeouts'
import mysql2 from 'mysql2'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAbandoner } from '../src/connection-runner.js'
import { createMysqlCanceller, createPgCanceller } from '../src/executors/cancel-statement.js'

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

const { Connection: MysqlConnection, ConnectionConfig } = Object(mysql2)

/** For each driver, how to cancel, and what its connection to a port holds for that. */
const drivers = {
  pg: {
    cancel: createPgCanceller(() => Object(pg).Connection),
    connect: (port: number): object => ({ host: '127.0.0.1', port, ssl: false, processID: 1, secretKey: 2 }),
  },
  mysql2: {
    cancel: createMysqlCanceller(() => MysqlConnection),
    connect: (port: number): object => ({
      config: new ConnectionConfig({ host: '127.0.0.1', port, user: 'x', password: 'y' }),
      threadId: 1,
    }),
  },
}

const release = (): void => {}

describe.each(['pg', 'mysql2'] as const)('an abandoned connection of %s', (driver) => {
  const { cancel, connect } = drivers[driver]

  it('is closed, like the connection of its cancellation, when the server never responds to many of them', async () => {
    const abandon = createAbandoner({ cancel, release }, limitMs)
    let closed = 0
    const destroy = (): void => {
      closed += 1
    }
    for (let number = 0; number < many; number += 1) abandon({ ...connect(port), destroy }, 'late')
    await once(server, 'connection')
    await expect.poll(() => closed).toBe(many)
    await expect.poll(() => sockets.size).toBe(0)
  })

  it('is returned to the pool, with the reason to discard it, after the server has received the cancellation', async () => {
    holdTimeouts()
    const order: unknown[] = []
    server.on('connection', (socket) => {
      order.push('cancelled')
      socket.destroy()
    })
    await new Promise<void>((resolve) => {
      const giveBack = (_: object, reason: unknown): void => {
        order.push(reason)
        resolve()
      }
      createAbandoner({ cancel, release: giveBack })(connect(port), 'late')
    })
    expect(order).toEqual(['cancelled', 'late'])
  })

  it('is closed immediately when the driver does not know which statement to cancel', async () => {
    let closed = 0
    createAbandoner({ cancel, release })({ destroy: () => (closed += 1) }, 'late')
    await expect.poll(() => closed).toBe(1)
  })
})

describe('an abandoned connection of mysql2', () => {
  const { cancel, connect } = drivers.mysql2

  it('is closed when the server accepts the cancellation and never responds', async () => {
    const queries: string[] = []
    server.removeAllListeners('connection').on('connection', (stream) => {
      sockets.add(stream.on('close', () => sockets.delete(stream)))
      const accepted = new MysqlConnection({ config: new ConnectionConfig({ stream, isServer: true }) })
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
    const limit = holdTimeouts()
    createAbandoner({ cancel, release })({ ...connect(port), destroy }, 'late')
    await expect.poll(() => queries).toEqual(['kill query 1'])
    expect(closed).toBe(0)
    limit.abort()
    await expect.poll(() => closed).toBe(1)
    await expect.poll(() => sockets.size).toBe(0)
  })

  it('is closed although the server never closes its side', async () => {
    // The peer of a vanished server: it acknowledges nothing, not even the end of the stream.
    const halfOpen = createServer({ allowHalfOpen: true }, (socket) => sockets.add(socket.resume())).listen(
      0,
      '127.0.0.1',
    )
    await once(halfOpen, 'listening')
    const target = { host: '127.0.0.1', port: Reflect.get(Object(halfOpen.address()), 'port') }
    const connection = Object(mysql2.createConnection(target)).on('error', () => {})
    await once(halfOpen, 'connection')
    createAbandoner({ cancel, release }, limitMs)(connection, 'late')
    await expect.poll(() => connection.stream.destroyed).toBe(true)
    halfOpen.close()
  })
})
