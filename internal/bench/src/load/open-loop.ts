import { Agent, request } from 'node:http'
import { createTally, type LoadResult } from './load-result.js'

/**
 * Requests at a fixed rate, whether or not earlier requests have a response. Latency counts from
 * the moment at which a request was due, so that it includes the wait for a slow server or a free
 * connection (no coordinated omission).
 */
export interface OpenLoop {
  readonly url: string
  readonly ratePerSecond: number
  readonly seconds: number
  /**
   * The greatest number of requests in flight. Further requests wait, and their latency includes
   * this wait.
   */
  readonly connections: number
  /** Sent in turn. */
  readonly tokens: readonly string[]
  /**
   * How long to wait for responses after the last request. The latency of a request without a
   * response is the time that it has waited.
   */
  readonly patienceSeconds: number
}

/** Runs an open loop. */
export const runOpenLoop = async (loop: OpenLoop): Promise<LoadResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: loop.connections, scheduling: 'fifo' })
  const count = Math.round(loop.ratePerSecond * loop.seconds)
  const startedAt = performance.now()
  const open = new Map<number, Promise<void>>()
  const tally = createTally()
  const dueAt = (number: number): number => startedAt + (number * 1000) / loop.ratePerSecond

  const measure = async (number: number): Promise<void> => {
    const status = await send(loop.url, agent, loop.tokens[number % loop.tokens.length] ?? '')
    if (!open.delete(number)) return
    tally.add(status, performance.now() - dueAt(number))
  }

  for (let sent = 0; sent < count; ) {
    for (; sent < count && dueAt(sent) <= performance.now(); sent += 1) {
      const number = sent
      open.set(number, measure(number))
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

/**
 * Sends a request and reads its response to the end. Resolves to the status, or to 0 without a
 * complete response.
 */
const send = (url: string, agent: Agent, token: string): Promise<number> =>
  new Promise((resolve) => {
    request(url, { agent, headers: { authorization: `Bearer ${token}` } })
      .once('error', () => resolve(0))
      .once('response', (response) => {
        response.resume().once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0))
      })
      .end()
  })

const untilSettled = async (requests: readonly Promise<void>[], patienceMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs)
  })
  await Promise.race([Promise.all(requests), patience])
  clearTimeout(timer)
}
