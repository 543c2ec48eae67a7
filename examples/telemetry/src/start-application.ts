import { hashPassword, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { JwtAuthInstrumentation } from '@jwt-auth/opentelemetry'
import { knexStorage } from '@jwt-auth/storage-knex'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import express from 'express'
import knex from 'knex'

/** What the application needs. */
interface Settings {
  readonly secret: string
  readonly port: number
  /** Where Prometheus scrapes `/metrics`. Do not open the port to the public. */
  readonly metricsPort: number
}

/** Starts an application whose only user is `ann`, with the password `correct horse`. */
export const startApplication = async ({ secret, port, metricsPort }: Settings) => {
  const exporter = new PrometheusExporter({ port: metricsPort })
  const meterProvider = new MeterProvider({ readers: [exporter] })
  const unregister = registerInstrumentations({ meterProvider, instrumentations: [new JwtAuthInstrumentation()] })

  const database = knex(sqliteConfig(':memory:'))
  const storage = knexStorage(database)
  await storage.migrate()
  const ann = { id: 1, username: 'ann', email: 'ann@example.com', passwordHash: await hashPassword('correct horse') }
  const auth = jwtAuth({
    secret,
    issuer: 'https://api.example.com',
    storage,
    users: passwordUsers({
      findByUsername: async (username) => (username === ann.username ? ann : undefined),
      findById: async (id) => (id === ann.id ? ann : undefined),
    }),
  })
  const app = express()
    .use(auth)
    .get('/reports', auth.guard(), (_req, res) => void res.json({ reports: [] }))
  const server = app.listen(port)

  return {
    app,
    database,
    stop: async () => {
      server.close()
      await auth.close()
      await database.destroy()
      unregister()
      await meterProvider.shutdown()
    },
  }
}
