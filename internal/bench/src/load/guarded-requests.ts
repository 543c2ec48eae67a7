import { Agent, request } from 'node:http'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import autocannon from 'autocannon'

/** Requests at the rate of the responses: each connection sends the next request after a response. */
export interface ClosedLoop {
  readonly url: string
  /** Sent in turn. No two connections send the same token. */
  readonly tokens: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Ends after this many requests instead of after `seconds`. */
  readonly amount?: number
}

/** Runs a closed loop. Rejects when a response is missing or has another status than 200. */
export const runClosedLoop = async ({ url, tokens, connections, seconds, amount }: ClosedLoop) => {
  let clients = 0
  const { requests, duration, errors, non2xx } = await autocannon({
    url,
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    sampleInt: Math.min(1_000, Math.ceil(seconds * 500)),
    setupClient: (client) => {
      const first = clients
      const own = tokens.filter((_, place) => place % connections === first)
      client.setRequests(own.map((token) => ({ method: 'GET', headers: { authorization: `Bearer ${token}` } })))
      clients += 1
    },
  })
  if (requests.total === 0 || errors + non2xx > 0) throw new Error(`${errors + non2xx} of ${requests.total} failed.`)
  return { requests: requests.total, seconds: duration }
}

/** Requests at a fixed rate. */
export interface FixedRate {
  /** Instances of one service, which receive the requests in turn. */
  readonly urls: readonly string[]
  /** Sent in turn. */
  readonly tokens: readonly string[]
  /** The greatest number of requests in flight. */
  readonly connections: number
  readonly ratePerSecond: number
  readonly seconds: number
}

/**
 * Runs a load at a fixed rate. The latency counts from the moment at which a request was due, so that
 * it includes the wait for a slow server (no coordinated omission). The latencies of a warm-up, a
 * quarter of the time before, are not counted: this process compiles its code then. Rejects when a
 * response is missing or has another status than 200.
 */
export const runFixedRate = async ({ urls, tokens, connections, ratePerSecond, seconds }: FixedRate) => {
  const agent = new Agent({ keepAlive: true })
  const histogram = createHistogram()
  const warmUp = Math.ceil((ratePerSecond * seconds) / 4)
  const count = warmUp + Math.ceil(ratePerSecond * seconds)
  const startedAt = performance.now()
  const act = async (client: number): Promise<void> => {
    for (let turn = client; turn < count; turn += connections) {
      const dueAt = startedAt + (turn * 1_000) / ratePerSecond
      if (dueAt > performance.now()) await setTimeout(dueAt - performance.now())
      // A timer may fire up to a millisecond early.
      const begunAt = Math.min(dueAt, performance.now())
      await send(urls[turn % urls.length] ?? '', agent, tokens[turn % tokens.length] ?? '')
      if (turn >= warmUp) histogram.record(Math.round((performance.now() - begunAt) * 1_000))
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, client) => act(client)))
  agent.destroy()
  return { requests: count, p50Ms: histogram.percentile(50) / 1_000, p99Ms: histogram.percentile(99) / 1_000 }
}

const send = (url: string, agent: Agent, token: string): Promise<void> =>
  new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${token}` } })
      .once('error', reject)
      .once('response', (response) => {
        response.resume().once('close', () => {
          if (response.complete && response.statusCode === 200) resolve()
          else reject(new Error(`${url} responded with ${response.statusCode}.`))
        })
      })
      .end()
  })
