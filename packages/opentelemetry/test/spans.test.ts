import { hashPassword, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { knexStorage } from '@jwt-auth/storage-knex'
import { type FreshDatabase, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { context, SpanStatusCode } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import express, { type RequestHandler } from 'express'
import request from 'supertest'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { JwtAuthInstrumentation } from '../src/index.js'
import type { JwtAuthInstrumentationConfig } from '../src/jwt-auth-instrumentation.js'

const password = 'correct horse battery staple'
const ann = {
  id: 4711,
  username: 'ann',
  email: 'ann@example.com',
  passwordHash: await hashPassword(password, { cost: 4 }),
}

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => context.disable())

/** Starts an application whose requests have spans, as with the instrumentation of HTTP. */
const startApplication = async (database: FreshDatabase, config: JwtAuthInstrumentationConfig = {}) => {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  onTestFinished(registerInstrumentations({ tracerProvider, instrumentations: [new JwtAuthInstrumentation(config)] }))
  onTestFinished(database.empty)
  const knex = database.connect()
  const storage = knexStorage(knex)
  await storage.migrate()
  const tracer = tracerProvider.getTracer('the application')
  // Stands for the spans of the database driver.
  knex.on('query', () => tracer.startSpan('query').end())
  const auth = jwtAuth({
    secret: testSecret,
    issuer: 'https://api.example.com',
    storage,
    callTimeoutMs: 60_000,
    users: passwordUsers({ cost: 4, findByUsername: async () => ann, findById: async () => ann }),
    onError: () => {},
  })
  const traced: RequestHandler = (req, res, next) =>
    tracer.startActiveSpan(`${req.method} ${req.path}`, (span) => {
      res.on('finish', () => span.end())
      next()
    })
  const app = express()
    .use(traced)
    .use(auth)
    .get('/reports', auth.guard(), (_req, res) => void res.end())
  const login = (given = password) => request(app).post('/jwt-auth/v1/token').send({ username: 'ann', password: given })
  const { token } = (await login()).body
  await tracerProvider.forceFlush()
  exporter.reset()
  return { app, auth, knex, login, token, spans: () => exporter.getFinishedSpans() }
}

/** Returns the names of spans as a tree, the children of a span in the order of their starts. */
const toTree = (spans: readonly ReadableSpan[], parent?: ReadableSpan): object =>
  Object.fromEntries(
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent?.spanContext().spanId)
      .toSorted((one, other) => toMs(one) - toMs(other))
      .map((span) => [span.name, toTree(spans, span)]),
  )

const toMs = ({ startTime: [seconds, nanoseconds] }: ReadableSpan): number => seconds * 1_000 + nanoseconds / 1_000_000

const [sqlite, postgres] = await findDatabases()

describeEach([sqlite, postgres], 'the spans on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  afterAll(() => database.drop())

  it('of a login show the wait, the hash and the storage calls inside the operation', async () => {
    const { login, spans } = await startApplication(database)
    await login().expect(200)
    const query = { query: {} }
    expect(toTree(spans())).toEqual({
      'POST /jwt-auth/v1/token': {
        'jwt_auth.login': {
          'jwt_auth.hashing.wait': {},
          'jwt_auth.hashing': {},
          'jwt_auth.storage.create': query,
          'jwt_auth.storage.list': query,
          // The limits of logins.
          ...query,
        },
      },
    })
    const [outcome] = spans().flatMap(({ attributes }) => attributes['jwt_auth.outcome'] ?? [])
    expect(outcome).toBe('ok')
  })

  it('contain no id, name, address, token or message', async () => {
    const { login, token, app, knex, spans } = await startApplication(database, { guardSpans: true })
    await login().expect(200)
    await login('wrong').expect(403)
    await request(app).get('/reports').auth(token, { type: 'bearer' }).expect(200)
    await knex.destroy()
    await login().expect(503)
    const own = spans().filter(({ name }) => name.startsWith('jwt_auth.'))
    expect(own.flatMap(({ events }) => events)).toEqual([])
    expect(new Set(own.flatMap(({ attributes }) => Object.entries(attributes).map((pair) => pair.join(' '))))).toEqual(
      new Set([
        'jwt_auth.outcome ok',
        'jwt_auth.outcome wrong_password',
        'error.type jwt_auth_failed',
        'jwt_auth.outcome jwt_auth_unavailable',
        'error.type jwt_auth_unavailable',
      ]),
    )
  })

  it('of a failed operation have the type of the error, and the status of a failure of the service', async () => {
    const { login, knex, spans } = await startApplication(database)
    await login('wrong').expect(403)
    await knex.destroy()
    await login().expect(503)
    const failed = spans().filter(({ name }) => name === 'jwt_auth.login')
    expect(failed.map(({ attributes, status }) => ({ attributes, status }))).toEqual([
      {
        attributes: { 'jwt_auth.outcome': 'wrong_password', 'error.type': 'jwt_auth_failed' },
        status: { code: SpanStatusCode.UNSET },
      },
      {
        attributes: { 'jwt_auth.outcome': 'jwt_auth_unavailable', 'error.type': 'jwt_auth_unavailable' },
        status: { code: SpanStatusCode.ERROR },
      },
    ])
  })

  it('of a guarded request are none, unless they are enabled', async () => {
    const paths = []
    for (const guardSpans of [false, true]) {
      const { app, token, spans } = await startApplication(database, { guardSpans })
      await request(app).get('/reports').auth(token, { type: 'bearer' }).expect(200)
      paths.push(toTree(spans()))
    }
    expect(paths).toEqual([
      { 'GET /reports': {}, query: {} },
      { 'GET /reports': { 'jwt_auth.authorize': {} }, query: {} },
    ])
  })

  it('of a lookup belong to no operation, because requests share lookups', async () => {
    const { auth, spans } = await startApplication(database)
    const [session] = await auth.sessions.list(ann.id)
    await auth.sessions.revoke(ann.id, session?.id ?? '')
    expect(toTree(spans())).toEqual({
      'jwt_auth.sessions.list': { 'jwt_auth.storage.list': { query: {} } },
      'jwt_auth.sessions.revoke': { 'jwt_auth.storage.end': { query: {} } },
      query: {},
    })
  })
})
