import { Agent, type ClientRequestArgs, request } from 'node:http'
import { createHistogram } from 'node:perf_hooks'
import type { LoadResult } from './load-result.js'

/** A request of a load. */
export interface LoadRequest {
  readonly options: ClientRequestArgs
  readonly body?: string
}

/**
 * Requests that arrive at a fixed rate, whether or not earlier ones were answered. Latency counts from the instant at which a request
 * was due, so that waiting for a slow server or for a free connection is part of it (no coordinated omission).
 */
export interface OpenLoop {
  readonly url: string
  readonly ratePerSecond: number
  readonly seconds: number
  /** At most so many requests are under way; further ones wait, and their clock runs. */
  readonly connections: number
  readonly requestAt: (number: number) => LoadRequest
  /** How long answers are waited for after the last request; what is still open then counts with the time it waited. */
  readonly patienceSeconds: number
}

/** Runs an open loop. */
export const runOpenLoop = async (loop: OpenLoop): Promise<LoadResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: loop.connections, scheduling: 'fifo' })
  const count = Math.round(loop.ratePerSecond * loop.seconds)
  const begin = performance.now()
  const open = new Map<number, Promise<void>>()
  const tally = createTally()
  const dueAt = (number: number): number => begin + (number * 1000) / loop.ratePerSecond

  const send = async (number: number): Promise<void> => {
    const status = await ask(loop.url, agent, loop.requestAt(number))
    if (!open.delete(number)) return
    tally.add(status, performance.now() - dueAt(number))
  }

  for (let sent = 0; sent < count; ) {
    for (; sent < count && dueAt(sent) <= performance.now(); sent += 1) {
      const number = sent
      open.set(number, send(number))
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt(sent) - performance.now())))
  }
  await untilSettled([...open.values()], loop.patienceSeconds * 1000)
  const end = performance.now()
  for (const number of open.keys()) tally.add(0, end - dueAt(number))
  open.clear()
  agent.destroy()
  return tally.read(loop.seconds)
}

/** Sends one request; answers its status when the answer was read whole, 0 when there was none. */
export const ask = (url: string, agent: Agent, { options, body }: LoadRequest): Promise<number> =>
  new Promise((resolve) => {
    request(url, { ...options, agent })
      .once('error', () => resolve(0))
      .once('response', (response) => {
        response.resume().once('close', () => resolve(response.statusCode ?? 0))
      })
      .end(body)
  })

const untilSettled = async (answers: readonly Promise<void>[], patienceMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs)
  })
  await Promise.race([Promise.all(answers), patience])
  clearTimeout(timer)
}

/** Counts answers and their latencies. */
export const createTally = () => {
  // In microseconds: 0.1 per cent of what it stands for is precise enough.
  const histogram = createHistogram({ figures: 3 })
  const statuses: Record<number, number> = {}
  return {
    add: (status: number, latencyMs: number): void => {
      histogram.record(Math.max(1, Math.round(latencyMs * 1000)))
      statuses[status] = (statuses[status] ?? 0) + 1
    },
    read: (seconds: number): LoadResult => {
      const toMs = (microseconds: number): number => microseconds / 1000
      return {
        requests: histogram.count,
        seconds,
        statuses,
        latencyMs: {
          p50: toMs(histogram.percentile(50)),
          p99: toMs(histogram.percentile(99)),
          max: toMs(histogram.max),
        },
      }
    },
  }
}
