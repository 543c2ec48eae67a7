import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPgCanceller, type PgConnectionClass } from '../src/executors/cancel-statement.js'

const processID = 0x01020304
const secretKey = -2
// PostgreSQL, section "Message Formats", CancelRequest.
const cancelRequest = Buffer.from('00000010 04d2162e 01020304 fffffffe'.replaceAll(' ', ''), 'hex')
const sslRequest = Buffer.from('0000000804d2162f', 'hex')

// Anonymous key exchange, so that the test needs no certificate.
const ciphers = 'AECDH-AES128-SHA:@SECLEVEL=0'
const secureContext = createSecureContext({ ciphers, maxVersion: 'TLSv1.2' })
const ssl = { rejectUnauthorized: false, ciphers, maxVersion: 'TLSv1.2' } as const

const findClass = (): PgConnectionClass => Object(pg).Connection
const cancel = createPgCanceller(findClass)

/** Listens, and resolves to the port. */
const listen = async (server: Server, path?: string): Promise<number> => {
  onTestFinished(() => void server.close())
  await once(path === undefined ? server.listen(0, '127.0.0.1') : server.listen(path), 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/**
 * Creates a server that stores what it receives, and closes each connection after one CancelRequest
 * as PostgreSQL does.
 */
const createReceiver = (received: Buffer[], wrap: 'plain' | 'tls' | 'direct-tls' = 'plain'): Server => {
  const read = (socket: Socket): void => {
    socket
      .on('error', () => {})
      .once('data', (bytes) => {
        received.push(bytes)
        socket.end()
      })
  }
  const secure = (socket: Socket): void => read(new TLSSocket(socket, { isServer: true, secureContext }))
  return createServer((socket) => {
    socket.on('error', () => {})
    if (wrap === 'plain') return read(socket)
    if (wrap === 'direct-tls') return secure(socket)
    socket.once('data', (bytes) => {
      received.push(bytes)
      socket.write('S')
      secure(socket)
    })
  })
}

const noLimit = new AbortController().signal

describe('a cancellation on PostgreSQL', () => {
  it('is a CancelRequest to the host and port of the connection', async () => {
    const received: Buffer[] = []
    const port = await listen(createReceiver(received))
    await cancel({ host: '127.0.0.1', port, ssl: false, processID, secretKey }, noLimit)
    expect(received).toEqual([cancelRequest])
  })

  it('goes to the Unix socket of the connection', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const received: Buffer[] = []
    await listen(createReceiver(received), join(folder, '.s.PGSQL.6432'))
    await cancel({ host: folder, port: 6432, ssl: false, processID, secretKey }, noLimit)
    expect(received).toEqual([cancelRequest])
  })

  it('is encrypted when the connection is encrypted', async () => {
    const received: Buffer[] = []
    const port = await listen(createReceiver(received, 'tls'))
    await cancel({ host: '127.0.0.1', port, ssl, processID, secretKey }, noLimit)
    expect(received).toEqual([sslRequest, cancelRequest])
  })

  it('is encrypted from the first byte when the connection is', async () => {
    const received: Buffer[] = []
    const port = await listen(createReceiver(received, 'direct-tls'))
    const connection = { host: '127.0.0.1', port, ssl, sslNegotiation: 'direct', processID, secretKey }
    await cancel(connection, noLimit)
    expect(received).toEqual([cancelRequest])
  })

  it('is not sent when the server refuses encryption', async () => {
    const received: Buffer[] = []
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          received.push(bytes)
          socket.write('N')
        })
    })
    const port = await listen(server)
    await cancel({ host: '127.0.0.1', port, ssl, processID, secretKey }, noLimit)
    expect(received).toEqual([sslRequest])
  })

  it('goes through a socket that the application opens', async () => {
    const received: Buffer[] = []
    const port = await listen(createReceiver(received))
    const opened: Socket[] = []
    const stream = (): Socket => {
      const socket = new Socket()
      opened.push(socket)
      return socket
    }
    const connection = { host: '127.0.0.1', port, ssl: false, processID, secretKey }
    await createPgCanceller(findClass, stream)(connection, noLimit)
    expect(opened).toHaveLength(1)
    expect(received).toEqual([cancelRequest])
  })

  it('resolves when nothing listens', async () => {
    const connection = { host: '127.0.0.1', port: 9, ssl: false, processID, secretKey }
    await expect(cancel(connection, noLimit)).resolves.toBeUndefined()
  })
})
