import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAuthClient } from '@jwt-auth/client'
import { dpop, type SessionKey, type UpdateKeys } from '@jwt-auth/client/dpop'
import { io } from 'socket.io-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApi } from '../src/axios.js'
import { openSocket } from '../src/socket-io.js'
import { credentials, startExample } from './support/start-example.js'

const start = async () => {
  const server = await startExample()
  const auth = createAuthClient({ baseUrl: server.baseUrl })
  return { server, auth }
}

describe('axios', () => {
  it.each([
    ['a bearer token', false],
    ['a token that is bound to a key', true],
  ])('sends %s, repeats a request after one refresh, and sends no token after the logout', async (_, isBound) => {
    const server = await startExample(undefined, 'all-tokens')
    let keys: readonly SessionKey[] = []
    const updateKeys: UpdateKeys = async (_, change) => {
      keys = change(keys)
      return keys
    }
    const auth = createAuthClient({ baseUrl: server.baseUrl, dpop: isBound ? dpop({ updateKeys }) : undefined })
    const api = createApi(auth, server.origin)
    await auth.login(credentials)

    expect((await api.get('/reports/may')).data).toEqual({ title: 'Report of may for user 1' })
    expect([server.countRefreshes(), await server.listBound()]).toEqual([0, [isBound]])

    server.expireAccessTokens()
    const reports = await Promise.all([api.post('/reports/june', { year: 2030 }), api.get('/reports/july')])
    expect(reports.map(({ data }) => data.title)).toEqual(['Report of june for user 1', 'Report of july for user 1'])
    // The server also asks for a proof with a new nonce.
    expect(server.countRefreshes()).toBe(isBound ? 2 : 1)

    await auth.logout()
    await expect(api.get('/reports/may')).rejects.toMatchObject({ status: 401 })
    expect(await server.countSessions()).toBe(0)
  })

  it('sends no token to another origin', async () => {
    const { server, auth } = await start()
    const other = await startExample((req, res) => res.end(String(req.headers.authorization)))
    const api = createApi(auth, server.origin)
    await auth.login(credentials)

    await expect(api.get(other.origin)).rejects.toMatchObject({ status: 404 })
  })

  it('logs the user out when the session has ended', async () => {
    const { server, auth } = await start()
    const api = createApi(auth, server.origin)
    await auth.login(credentials)
    await server.endSessions()

    await expect(api.get('/reports/may')).rejects.toMatchObject({ status: 401 })
    expect(auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
  })
})

describe('socket.io', () => {
  const startSocket = async () => {
    const { server, auth } = await start()
    await auth.login(credentials)
    const socket = openSocket(auth, server.origin)
    onTestFinished(() => void socket.disconnect())
    return { server, auth, socket }
  }

  it('reconnects with a new token after the server closed the socket of an expired one', async () => {
    const { server, auth, socket } = await startSocket()
    expect(await socket.emitWithAck('report', 'may')).toBe('Report of may for user 1')
    const first = socket.id

    server.expireAccessTokens()

    expect(await socket.emitWithAck('report', 'june')).toBe('Report of june for user 1')
    expect(socket.id).not.toBe(first)
    expect(server.countRefreshes()).toBe(1)
    await auth.logout()
    await expect.poll(() => socket.active).toBe(false)
    expect(await server.countSessions()).toBe(0)
  })

  it('reconnects with a new token after the connection broke while the token expired', async () => {
    const { server, socket } = await startSocket()
    await socket.emitWithAck('report', 'may')

    server.expireAccessTokens()
    socket.io.engine.close()

    expect(await socket.emitWithAck('report', 'june')).toBe('Report of june for user 1')
    expect(server.countRefreshes()).toBe(1)
  })

  it('ignores an event without a name or without a function to respond with', async () => {
    const { server, auth } = await start()
    await auth.login(credentials)
    // Unlike `openSocket`, without repeats: they add a function, and wait for its call.
    const socket = io(server.origin, { auth: { token: await auth.getAccessToken() } })
    onTestFinished(() => void socket.disconnect())
    socket.emit('report', 'may').emit('report', { toString: 1 }, () => {})
    expect(await socket.emitWithAck('report', 'june')).toBe('Report of june for user 1')
  })

  it('stays closed and logs the user out when the session has ended', async () => {
    const { server, auth, socket } = await startSocket()
    await socket.emitWithAck('report', 'may')
    await server.endSessions()

    socket.emit('report', 'june')

    await expect.poll(() => auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
    expect(socket.active).toBe(false)
  })
})

describe('an example', () => {
  const folder = new URL('../src/', import.meta.url)

  it.each(readdirSync(folder))('has at most 60 lines: %s', (name) => {
    expect(readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })
})

describe('a Node script', () => {
  it('prints reports while its token expires, logs out and ends', async () => {
    const { server } = await start()
    server.server.prependListener('request', ({ url }) => {
      if (url === '/reports/june' && server.countRefreshes() === 0) server.expireAccessTokens()
    })
    const program = fileURLToPath(new URL('../src/node-script.ts', import.meta.url))
    const args = ['--conditions=@jwt-auth/source', '--import', 'tsx', program, 'may', 'june', 'july']
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
      env: {
        ...process.env,
        API_ORIGIN: server.origin,
        API_USERNAME: credentials.username,
        API_PASSWORD: credentials.password,
      },
    })

    const lines = ['may', 'june', 'july'].map((name) => `Report of ${name} for user 1\n`)
    expect({ stdout, stderr }).toEqual({ stdout: lines.join(''), stderr: '' })
    expect([server.countRefreshes(), await server.countSessions()]).toEqual([1, 0])
  })
})
