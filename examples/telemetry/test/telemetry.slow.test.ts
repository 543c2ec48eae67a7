import { readFileSync } from 'node:fs'
import { findFreePort } from '@jwt-auth/test-support'
import { readMetrics, type Sample } from '@jwt-auth/test-support/read-metrics'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import type { SyntaxNodeRef } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import request from 'supertest'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { startApplication } from '../src/start-application.js'

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

const dashboard: Dashboard = JSON.parse(readFileSync(new URL('../dashboard.json', import.meta.url), 'utf8'))
const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))

/** Reads the names of the metrics and labels of a query. Throws if the query is no PromQL. */
const readQuery = (query: string) => {
  const text = query.replaceAll('$__rate_interval', '5m')
  const metrics = new Set<string>()
  const labels = new Set<string>()
  const enter = ({ name, from, to, type, node }: SyntaxNodeRef): void => {
    if (type.isError) throw new Error(`No PromQL at ${from}: ${query}`)
    if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.add(text.slice(from, to))
    if (name === 'LabelName') labels.add(text.slice(from, to))
  }
  parser.parse(text).iterate({ enter })
  return { metrics: [...metrics], labels: [...labels] }
}

/** Returns what a query names and no sample has. */
const findMissing = (query: string, samples: readonly Sample[]): readonly string[] => {
  const { metrics, labels } = readQuery(query)
  return metrics.flatMap((metric) => {
    const found = samples.filter(({ name }) => name === metric)
    if (found.length === 0) return metric
    return labels
      .filter((label) => !found.some((sample) => label in sample.labels))
      .map((label) => `${metric} ${label}`)
  })
}

/** Runs the application through everything that the dashboard shows, and scrapes it. */
const scrape = async (): Promise<readonly Sample[]> => {
  const metricsPort = await findFreePort()
  const { app, database, stop } = await startApplication({ secret: testSecret, port: 0, metricsPort })
  afterAll(stop)
  const post = (path: string, body: object = {}) => request(app).post(`/jwt-auth/v1${path}`).send(body)
  const { body } = await post('/token', { username: 'ann', password: 'correct horse' }).expect(200)
  await post('/token', { username: 'ann', password: 'wrong' }).expect(403)
  await post('/token/refresh', { refresh_token: body.refresh_token }).expect(200)
  await request(app).get('/reports').auth(body.token, { type: 'bearer' }).expect(200)
  await post('/token/revoke').auth(body.token, { type: 'bearer' }).expect(200)
  for (let count = 0; count <= 1_000; count += 1) await post('/token/validate').auth('x.y.z', { type: 'bearer' })
  await database.destroy()
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await request(app).get('/reports').auth(body.token, { type: 'bearer' }).expect(503)
  vi.restoreAllMocks()
  return readMetrics(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text())
}

const samples = await scrape()

describe('the dashboard', () => {
  it.each(queries)('has a query whose metrics and labels the application has: %s', (_, query) => {
    expect(findMissing(query, samples)).toEqual([])
  })

  it('shows every metric of jwt-auth', () => {
    const shown = queries.flatMap(([, query]) => readQuery(query).metrics)
    const known = new Set(samples.map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))
    const isShown = (metric: string): boolean =>
      shown.some((name) => name.replace(/_(bucket|sum|count)$/, '') === metric)
    expect([...known].filter((metric) => metric.startsWith('jwt_auth_') && !isShown(metric))).toEqual([])
  })
})

describe('the check of the dashboard', () => {
  it.each([
    ['a metric that no sample has', 'rate(jwt_auth_visits_total[5m])', ['jwt_auth_visits_total']],
    ['a label that no sample has', 'sum by (user) (jwt_auth_logins_total)', ['jwt_auth_logins_total user']],
  ])('finds %s', (_, query, missing) => {
    expect(findMissing(query, samples)).toEqual(missing)
  })

  it('refuses a query that is no PromQL', () => {
    expect(() => readQuery('sum by (rate(')).toThrow('No PromQL')
  })
})
