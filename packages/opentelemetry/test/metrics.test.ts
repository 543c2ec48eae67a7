import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createHashingQueue, hashPassword, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { knexStorage } from '@jwt-auth/storage-knex'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import { readMetrics } from '@jwt-auth/test-support/read-metrics'
import { createTestSystem, withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import express from 'express'
import knex from 'knex'
import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { JwtAuthInstrumentation } from '../src/index.js'

const password = 'correct horse battery staple'
const ann = {
  id: 4711,
  username: 'ann',
  email: 'ann@example.com',
  passwordHash: await hashPassword(password, { cost: 4 }),
}

/** Starts an application on SQLite whose metrics the official exporter serves at `/metrics`. */
const startApplication = async () => {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const meterProvider = new MeterProvider({ readers: [exporter] })
  const instrumentation = new JwtAuthInstrumentation()
  onTestFinished(registerInstrumentations({ meterProvider, instrumentations: [instrumentation] }))
  const database = knex(sqliteConfig(':memory:'))
  onTestFinished(() => database.destroy())
  const storage = knexStorage(database)
  await storage.migrate()
  const system = createTestSystem()
  const queue = createHashingQueue({ concurrency: 1, maxQueued: 1 })
  const auth = jwtAuth({
    secret: testSecret,
    issuer: 'https://api.example.com',
    storage,
    users: passwordUsers({
      cost: 4,
      queue,
      findByUsername: async (username) => (username === 'ann' ? ann : undefined),
      findById: async (id) => (id === ann.id ? ann : undefined),
    }),
    rateLimits: { tokens: { points: 2, durationSeconds: 60 } },
    maxSessionsPerUser: 3,
    ...withSystem(system),
    onError: () => {},
  })
  const app = express()
    .get('/metrics', (req, res) => exporter.getMetricsRequestHandler(req, res))
    .use(auth)
    .get('/reports', auth.guard(), (_req, res) => void res.end())
    .get('/confirm', auth.guard(), async (req, res) => {
      await auth.requirePassword(req, password)
      res.end()
    })
    .get('/secret', auth.guard({ allow: () => false }), (_req, res) => void res.end())
  const post = (path: string, body: object = {}) => request(app).post(`/jwt-auth/v1${path}`).send(body)

  return {
    auth,
    queue,
    system,
    database,
    instrumentation,
    login: async () => (await post('/token', { username: 'ann', password })).body,
    failLogin: (username: string) => post('/token', { username, password: 'wrong' }),
    refresh: async (token: string) => (await post('/token/refresh', { refresh_token: token })).body,
    revoke: (token: string) => post('/token/revoke').auth(token, { type: 'bearer' }),
    validate: (token: string) => post('/token/validate').auth(token, { type: 'bearer' }),
    get: (path: string, token?: string) =>
      token === undefined ? request(app).get(path) : request(app).get(path).auth(token, { type: 'bearer' }),
    /** Returns what a scrape of the application contains, without buckets and durations. */
    scrape: async () => {
      const { text } = await request(app).get('/metrics').expect(200)
      const samples = readMetrics(text).filter(({ name }) => name.startsWith('jwt_auth_'))
      const exact = samples.filter(({ name }) => !name.endsWith('_bucket') && !name.endsWith('duration_sum'))
      return {
        text,
        values: Object.fromEntries(
          exact.map(({ name, labels: { otel_scope_name, otel_scope_version, ...labels }, value }) => [
            [name.replace('jwt_auth_', ''), ...Object.values(labels)].join(' '),
            value,
          ]),
        ),
      }
    },
  }
}

describe('the metrics that Prometheus scrapes', () => {
  it('count logins by outcome, and the sessions that other logins ended', async () => {
    const { login, failLogin, get, system, scrape } = await startApplication()
    for (let count = 0; count < 3; count += 1) await login()
    system.advance(1)
    const { token } = await login()
    await failLogin('ann')
    await failLogin('ann')
    await failLogin('bob')
    await get('/confirm', token).expect(200)
    expect((await scrape()).values).toEqual({
      'logins_total ok': 4,
      'logins_total wrong_password': 2,
      'logins_total unknown_user': 1,
      'sessions_ended_total session_limit': 1,
      'storage_call_duration_count create': 4,
      'storage_call_duration_count list': 4,
      'storage_call_duration_count end': 1,
      hashing_queue_length: 0,
      'hashing_wait_duration_count started': 8,
      'guard_decisions_total ok': 1,
      'storage_call_duration_count findByIds': 1,
      storage_batch_size_count: 1,
      storage_batch_size_sum: 1,
    })
  })

  it('count refreshes by outcome', async () => {
    const { login, refresh, system, scrape } = await startApplication()
    const { refresh_token: first } = await login()
    const { refresh_token: second } = await refresh(first)
    await refresh(first)
    await refresh(second)
    system.advance(60_000)
    await refresh(first)
    await refresh('no token')
    const { values } = await scrape()
    expect(values).toMatchObject({
      'refreshes_total rotated': 2,
      'refreshes_total repeated': 1,
      'refreshes_total replayed': 1,
      'refreshes_total refused': 1,
      'sessions_ended_total refresh_token_replayed': 1,
      'storage_call_duration_count findBySelectorHash': 4,
      'storage_call_duration_count rotate': 3,
      'storage_call_duration_count end': 1,
    })
  })

  it('count the decisions of guards by code, and the sizes of batches', async () => {
    const { login, get, scrape } = await startApplication()
    const { token } = await login()
    await get('/reports', token).expect(200)
    await get('/reports', token).expect(200)
    await get('/secret', token).expect(403)
    await get('/reports', 'x.y.z').expect(401)
    await get('/reports').expect(401)
    const { values } = await scrape()
    expect(values).toMatchObject({
      'guard_decisions_total ok': 2,
      'guard_decisions_total jwt_auth_forbidden': 1,
      'guard_decisions_total jwt_auth_invalid_token': 1,
      'guard_decisions_total jwt_auth_no_auth_header': 1,
      'storage_call_duration_count findByIds': 3,
      storage_batch_size_count: 3,
      storage_batch_size_sum: 3,
    })
  })

  it('count the sessions that ended by reason, without the reasons of the application', async () => {
    const { auth, system, login, revoke, scrape } = await startApplication()
    await revoke((await login()).token).expect(200)
    await login()
    await login()
    await auth.sessions.revokeAll(ann.id, { reason: 'ann@example.com left' })
    await login()
    await auth.sessions.revokeAll(ann.id)
    await login()
    await auth.sessions.revokeAllCreatedBefore(new Date(system.now() + 1))
    const { values } = await scrape()
    expect(values).toMatchObject({
      'sessions_ended_total revoked': 1,
      'sessions_ended_total other': 2,
      'sessions_ended_total revoked_all': 1,
      'sessions_ended_total created_before': 1,
    })
  })

  it('count each attempt beyond a limit', async () => {
    const { validate, scrape } = await startApplication()
    for (let count = 0; count < 5; count += 1) await validate('x.y.z')
    expect((await scrape()).values).toEqual({ 'limits_exceeded_total tokens': 3 })
  })

  it('show how many hashes wait, and count the waits by outcome', async () => {
    const { queue, scrape } = await startApplication()
    const finish = new EventEmitter()
    const running = queue.run(() => once(finish, 'finish'))
    const leaving = new AbortController()
    const priority = { isKnown: false, network: '192.0.2.1', signal: leaving.signal }
    const waiting = queue.run(async () => {}, priority)
    await expect(queue.run(async () => {}, priority)).rejects.toThrow()
    expect((await scrape()).values).toEqual({
      hashing_queue_length: 1,
      'hashing_wait_duration_count started': 1,
      'hashing_wait_duration_count queue': 1,
    })
    leaving.abort()
    finish.emit('finish')
    await expect(waiting).rejects.toThrow()
    await running
    expect((await scrape()).values).toEqual({
      hashing_queue_length: 0,
      'hashing_wait_duration_count started': 1,
      'hashing_wait_duration_count queue': 1,
      'hashing_wait_duration_count disconnected': 1,
    })
  })

  it('have the type of the error for a storage call that failed', async () => {
    const { database, login, get, scrape } = await startApplication()
    const { token } = await login()
    await database.destroy()
    await get('/reports', token).expect(503)
    expect((await scrape()).values).toMatchObject({
      'guard_decisions_total jwt_auth_unavailable': 1,
      'storage_call_duration_count findByIds jwt_auth_unavailable': 1,
    })
  })

  it('contain no id, name, address or token', async () => {
    const { login, failLogin, refresh, get, scrape } = await startApplication()
    const { token, refresh_token: refreshToken } = await login()
    await get('/reports', token)
    await refresh(refreshToken)
    await failLogin('eve')
    const { text } = await scrape()
    const [, claims = ''] = token.split('.')
    const { sid } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const secrets = [token, refreshToken, sid, '4711', 'ann', 'eve', '127.0.0.1', password]
    expect(sid).toEqual(expect.any(String))
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  })

  it('stop when the instrumentation is disabled, and go on when it is enabled', async () => {
    const { instrumentation, login, scrape } = await startApplication()
    await login()
    instrumentation.disable()
    await login()
    expect((await scrape()).values).toMatchObject({ 'logins_total ok': 1 })
    instrumentation.enable()
    instrumentation.enable()
    await login()
    expect((await scrape()).values).toMatchObject({ 'logins_total ok': 2 })
  })
})

const namesIn = (path: string, pattern: RegExp): readonly string[] =>
  [...readFileSync(new URL(path, import.meta.url), 'utf8').matchAll(pattern)].map(([, name = '']) => name).toSorted()

it('the README lists every metric', () => {
  const created = namesIn('../src/call-metrics.ts', /'(jwt_auth\.[\w.]+)'/g)
  expect(namesIn('../README.md', /^\| `(jwt_auth\.[\w.]+)`/gm)).toEqual(
    created.filter((name) => name !== 'jwt_auth.code'),
  )
})
