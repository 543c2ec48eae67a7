import { describe, expect, it } from 'vitest'
import { runOpenLoop } from '../src/load/open-loop.js'
import { serve } from './support/serve.js'

const loop = {
  ratePerSecond: 1_000,
  seconds: 0.02,
  connections: 50,
  patienceSeconds: 10,
  tokens: ['token'],
}

describe('an open loop', () => {
  it('sends requests at the given rate', async () => {
    const url = await serve((_req, res) => res.end('received'))
    const { requests, statuses } = await runOpenLoop({ ...loop, url })
    expect({ requests, statuses }).toEqual({ requests: 20, statuses: { 200: 20 } })
  })

  it('sends the next request without waiting for a response', async () => {
    const waiting: (() => void)[] = []
    const url = await serve((_req, res) => {
      waiting.push(() => res.end())
      if (waiting.length === 20) for (const respond of waiting) respond()
    })
    expect((await runOpenLoop({ ...loop, url })).statuses).toEqual({ 200: 20 })
  })

  it('counts the latency of a request that waits for a connection from when it was due', async () => {
    // The only connection is free again after every request was due, so that each of them waited
    // for the last one.
    let allDueAt: number | undefined
    const url = await serve((_req, res) => {
      allDueAt ??= performance.now() + 1_000 * loop.seconds
      const lastDueAt = allDueAt
      const respond = (): unknown => (performance.now() > lastDueAt ? res.end() : setImmediate(respond))
      respond()
    })
    const { latencyMs } = await runOpenLoop({ ...loop, url, connections: 1 })
    expect(latencyMs.max).toBeGreaterThan(latencyMs.p50)
    expect(latencyMs.max).toBeGreaterThanOrEqual(18)
  })

  it('counts requests without a response with the time that they have waited', async () => {
    const url = await serve(() => {})
    const { requests, statuses, latencyMs } = await runOpenLoop({ ...loop, url, patienceSeconds: 0.01 })
    expect({ requests, statuses }).toEqual({ requests: 20, statuses: { 0: 20 } })
    expect(latencyMs.p50).toBeGreaterThanOrEqual(10)
  })
})
