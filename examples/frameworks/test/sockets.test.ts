import { bearer } from '@jwt-auth/test-support/http-client'
import { io, type Socket } from 'socket.io-client'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../src/socket-io.js'
import * as engine from '../src/socket-io-engine.js'
import { createClient, listen, logInFor, member } from './support/programs.js'

type Options = Parameters<typeof io>[1]

const connect = (port: number, options: Options): Socket => {
  const socket = io(`http://127.0.0.1:${port}`, { forceNew: true, reconnection: false, ...options })
  onTestFinished(() => {
    socket.disconnect()
  })
  return socket
}

/** Resolves to the first argument of the next event of this name. */
const next = (socket: Socket, event: string): Promise<unknown> =>
  new Promise((resolve) => socket.once(event, (argument: unknown) => resolve(argument)))

const startApp = async (recheckMs?: number) => {
  const app = createApp(recheckMs)
  const port = await listen(app.server)
  afterAll(() => app.io.close())
  return { ...app, port, send: createClient(port) }
}

describe.each(['websocket', 'polling'])('the program socket-io over %s', (transport) => {
  const starting = startApp()
  const withToken = (token?: string): Options => ({ transports: [transport], auth: { token } })

  it('connects a socket with a token, and closes it when its session is revoked', async () => {
    const { port, send } = await starting
    const token = await logInFor(send, member)
    const other = connect(port, withToken(await logInFor(send, member)))
    const socket = connect(port, withToken(token))
    expect(await socket.emitWithAck('whoami')).toBe(1)
    expect(await other.emitWithAck('whoami')).toBe(1)

    const closed = next(socket, 'disconnect')
    await send('POST', '/jwt-auth/v1/token/revoke', bearer(token))
    expect(await closed).toBe('io server disconnect')
    expect(await other.emitWithAck('whoami')).toBe(1)
  })

  it('ignores an event without a function to respond with', async () => {
    const { port, send } = await starting
    const socket = connect(port, withToken(await logInFor(send, member)))
    socket.emit('whoami').emit('whoami', 1)
    expect(await socket.emitWithAck('whoami')).toBe(1)
  })

  it('closes all sockets of a user whose sessions are revoked', async () => {
    const { auth, port, send } = await starting
    const sockets = [await logInFor(send, member), await logInFor(send, member)].map((token) =>
      connect(port, withToken(token)),
    )
    await Promise.all(sockets.map((socket) => socket.emitWithAck('whoami')))
    const closed = Promise.all(sockets.map((socket) => next(socket, 'disconnect')))
    await auth.sessions.revokeAll(1, { reason: 'password_changed' })
    expect(await closed).toEqual(['io server disconnect', 'io server disconnect'])
  })

  it('rejects a socket without a token, and one with a revoked token, with the code', async () => {
    const { port, send } = await starting
    const token = await logInFor(send, member)
    await send('POST', '/jwt-auth/v1/token/revoke', bearer(token))
    for (const presented of [undefined, token]) {
      const error = await next(connect(port, withToken(presented)), 'connect_error')
      expect(error).toMatchObject({ data: { code: 'jwt_auth_invalid_token' } })
    }
  })
})

describe('the program socket-io', () => {
  it('keeps a socket when another instance ends its session, until the next check', async () => {
    const [slow, fast, other] = [await startApp(), await startApp(20), await startApp()]
    const token = await logInFor(other.send, member)
    const sockets = [slow, fast].map(({ port }) => connect(port, { transports: ['websocket'], auth: { token } }))
    await Promise.all(sockets.map((socket) => socket.emitWithAck('whoami')))
    const closed = sockets.map((socket) => next(socket, 'disconnect'))

    await other.send('POST', '/jwt-auth/v1/token/revoke', bearer(token))
    expect(await closed[1]).toBe('io server disconnect')
    expect(await sockets[0]?.emitWithAck('whoami')).toBe(1)
  })
})

describe('the program socket-io-engine', () => {
  const listening = listen(engine.server)
  afterAll(() => engine.io.close())
  const withHeaders = (transport: string, headers: Record<string, string>): Options => ({
    transports: [transport],
    extraHeaders: headers,
  })

  it.each(['websocket', 'polling'])('connects a socket with a token over %s', async (transport) => {
    const port = await listening
    const token = await logInFor(createClient(port), member)
    const socket = connect(port, withHeaders(transport, { Authorization: `Bearer ${token}` }))
    expect(await socket.emitWithAck('whoami')).toBe(1)
  })

  it('ignores an event without a function to respond with', async () => {
    const port = await listening
    const token = await logInFor(createClient(port), member)
    const socket = connect(port, withHeaders('websocket', { Authorization: `Bearer ${token}` }))
    socket.emit('whoami').emit('whoami', 1)
    expect(await socket.emitWithAck('whoami')).toBe(1)
  })

  // Behind the middleware of engine.io, a response to a WebSocket request only closes the connection.
  it.each([
    ['websocket', expect.objectContaining({ message: 'socket hang up' })],
    ['polling', 401],
  ])('rejects a connection without a token and with an invalid token over %s', async (transport, description) => {
    const port = await listening
    for (const headers of [{}, { Authorization: 'Bearer abc' }]) {
      const error = await next(connect(port, withHeaders(transport, headers)), 'connect_error')
      expect(error).toHaveProperty('description', description)
    }
  })
})
