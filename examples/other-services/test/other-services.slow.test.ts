import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashPassword, passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import {
  createFolder,
  explainMissing,
  findFreePort,
  findPrograms,
  listen,
  startServerProcess,
} from '@jwt-auth/test-support'
import { readTextMember } from '@jwt-auth/test-support/read-json'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../src/app.js'

const python = '/usr/bin/python3'

const canImportJwt = (): boolean => {
  try {
    execFileSync(python, ['-c', 'import jwt, cryptography'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const isNginxMissing = findPrograms('nginx', ['nginx']).missing !== undefined
const isPythonMissing =
  explainMissing(canImportJwt(), 'Python has no PyJWT. Install python3-jwt and python3-cryptography.') !== undefined

const issuer = 'https://api.example.com'
const credentials = { username: 'ann', password: 'correct horse battery staple' }
const user = {
  id: 7,
  username: 'ann',
  email: 'ann@example.com',
  passwordHash: await hashPassword(credentials.password, { cost: 4 }),
}
const createKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Starts the application. Sessions are in `storage`. */
const startApplication = async (storage = memoryStorage({ quiet: true }), key = createKey()) => {
  const app = createApp({
    secret: testSecret,
    keys: [{ key, algorithm: 'ES256', state: 'active' }],
    issuer,
    storage,
    users: passwordUsers({
      cost: 4,
      findByUsername: async (name) => (name === user.username ? user : undefined),
      findById: async (id) => (id === user.id ? user : undefined),
    }),
  })
  const server = createServer(app)
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(stop)
  return { origin: `http://127.0.0.1:${await listen(server)}`, stop }
}

const post = (origin: string, path: string, token?: string) =>
  fetch(`${origin}/jwt-auth/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: token === undefined ? JSON.stringify(credentials) : null,
  })

const logIn = async (origin: string): Promise<string> =>
  readTextMember(await (await post(origin, '/token')).json(), 'token')

const get = (origin: string, token?: string, headers = {}) =>
  fetch(`${origin}/reports`, { headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers } })

describe.skipIf(isNginxMissing)('nginx in front of a service', () => {
  /** Starts nginx with the configuration of the page, on other ports. The service returns the header with the user id. */
  const start = async () => {
    const application = await startApplication()
    const service = createServer((req, res) => res.end(JSON.stringify(req.headers['x-user-id'] ?? null)))
    onTestFinished(() => void service.close())
    const port = await findFreePort()
    const folder = createFolder()
    const configuration = readFileSync(new URL('../src/nginx.conf', import.meta.url), 'utf8')
      .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('http://127.0.0.1:3000', application.origin)
      .replace('127.0.0.1:4000', `127.0.0.1:${await listen(service)}`)
    writeFileSync(join(folder, 'nginx.conf'), configuration)
    const settings = `daemon off; pid ${folder}/pid; error_log stderr notice;`
    const args = ['-p', folder, '-c', 'nginx.conf', '-g', settings]
    const { stop } = await startServerProcess({ command: 'nginx', args, readyLine: 'start worker process ' })
    onTestFinished(() => stop('SIGTERM'))
    return { origin: `http://127.0.0.1:${port}`, application }
  }

  it('passes the user id on, and refuses the next request after a logout', async () => {
    const { origin } = await start()
    const token = await logIn(origin)
    const response = await get(origin, token)
    expect(await response.json()).toBe('7')
    expect((await post(origin, '/token/revoke', token)).status).toBe(200)
    const refused = await get(origin, token)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('invalid_token')
  })

  it('replaces a user id of the client, also one without a token', async () => {
    const { origin } = await start()
    const forged = { 'X-User-Id': '1' }
    expect(await (await get(origin, await logIn(origin), forged)).json()).toBe('7')
    expect((await get(origin, undefined, forged)).status).toBe(401)
    expect((await fetch(`${origin}/authorize`)).status).toBe(404)
  })

  it('passes no request on while the application does not respond', async () => {
    const { origin, application } = await start()
    const token = await logIn(origin)
    application.stop()
    expect((await get(origin, token)).status).toBe(500)
  })
})

describe.skipIf(isPythonMissing)('a service in Python', () => {
  const startService = async (api: string) => {
    const port = await findFreePort()
    const { stop } = await startServerProcess({
      command: python,
      args: [fileURLToPath(new URL('../src/service.py', import.meta.url))],
      env: { ...process.env, API_URL: api, ISSUER: issuer, PORT: `${port}` },
      readyLine: 'listening',
    })
    onTestFinished(() => stop('SIGTERM'))
    return `http://127.0.0.1:${port}`
  }

  it('returns the user id, and refuses the next request after a logout', async () => {
    const { origin } = await startApplication()
    const service = await startService(origin)
    const token = await logIn(origin)
    expect(await (await get(service, token)).text()).toBe('7')
    await post(origin, '/token/revoke', token)
    expect((await get(service, token)).status).toBe(401)
  })

  it('refuses a token of another key, and a request without a token', async () => {
    const storage = memoryStorage({ quiet: true })
    const other = await startApplication(storage)
    const service = await startService((await startApplication(storage)).origin)
    expect((await get(service, await logIn(other.origin))).status).toBe(401)
    expect((await get(service)).status).toBe(401)
  })

  it.each(['with the keys', 'without the keys'])(
    '%s responds with 503 while the application does not respond',
    async (what) => {
      const { origin, stop } = await startApplication()
      const service = await startService(origin)
      const token = await logIn(origin)
      if (what === 'with the keys') expect((await get(service, token)).status).toBe(200)
      stop()
      expect((await get(service, token)).status).toBe(503)
    },
  )
})
