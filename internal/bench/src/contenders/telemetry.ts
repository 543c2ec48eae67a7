import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { jwtAuth } from '@jwt-auth/express'
import { JwtAuthInstrumentation } from '@jwt-auth/opentelemetry'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { sampleUsers } from '../world/sample-user.js'
import type { World } from '../world/world.js'
import type { OpenedOperation, OperationContender } from './contender.js'

/** The guard with and without telemetry, without HTTP, on sessions in memory. */
export const guardsWithTelemetry: Readonly<Record<string, OperationContender>> = {
  'telemetry-off': { title: 'without telemetry', open: (world) => openGuard(world) },
  metrics: {
    title: 'with metrics',
    open: (world) => {
      instrument()
      return openGuard(world)
    },
  },
  /** What tracing costs before jwt-auth is traced: every promise then keeps its context. */
  context: {
    title: 'without telemetry, with the context manager of OpenTelemetry',
    open: (world) => {
      manageContexts()
      return openGuard(world)
    },
  },
  traces: {
    title: 'with metrics and traces',
    open: (world) => {
      manageContexts()
      instrument()
      return openGuard(world)
    },
  },
  'guard-spans': {
    title: 'with metrics, traces and `guardSpans`',
    open: (world) => {
      manageContexts()
      instrument({ guardSpans: true })
      return openGuard(world)
    },
  },
}

const instrument = (options: { readonly guardSpans?: boolean } = {}): void => {
  const meterProvider = new MeterProvider({ readers: [new PrometheusExporter({ preventServerStart: true })] })
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new InMemorySpanExporter())],
  })
  registerInstrumentations({ meterProvider, tracerProvider, instrumentations: [new JwtAuthInstrumentation(options)] })
}

// The first run of a context starts to track all promises.
const manageContexts = (): void => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  context.with(context.active(), () => {})
}

const openGuard = async ({ secret, issuer, audience, sessions, tokens }: World): Promise<OpenedOperation> => {
  const storage = memoryStorage({ quiet: true })
  for (const session of sessions) await storage.create(session)
  const guard = jwtAuth({ secret, issuer, audience, users: sampleUsers, storage, rateLimits: false }).guard()
  const socket = new Socket()
  const run = (token: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const req = new IncomingMessage(socket)
      const authorization = `Bearer ${token}`
      req.rawHeaders = ['Authorization', authorization]
      req.headers.authorization = authorization
      guard(req, new ServerResponse(req), (error) => (error === undefined ? resolve() : reject(error)))
    })
  return {
    check: async () => {
      await run(tokens[0] ?? '')
    },
    run: (_client, turn) => run(tokens[turn % tokens.length] ?? ''),
  }
}
