import { Agent, request } from 'node:http'
import { createTally, type LoadResult } from './load-result.js'

/**
 * Sends a request and reads its response to the end. Resolves to the status, or to 0 without a
 * complete response.
 */
export type Send = (number: number) => Promise<number>

/**
 * Requests at a fixed rate, whether or not earlier requests have a response. Latency counts from
 * the moment at which a request was due, so that it includes the wait for a slow server or a free
 * connection (no coordinated omission).
 */
export interface OpenLoop extends Schedule {
  readonly url: string
  /**
   * The greatest number of requests in flight. Further requests wait, and their latency includes
   * this wait.
   */
  readonly connections: number
  /** Sent in turn. */
  readonly tokens: readonly string[]
}

/** When requests are due. */
export interface Schedule {
  readonly ratePerSecond: number
  readonly seconds: number
  /**
   * How long to wait for responses after the last request. The latency of a request without a
   * response is the time that it has waited.
   */
  readonly patienceSeconds: number
  /** Whether the requests are independent of each other: a Poisson process. @default false */
  readonly isRandom?: boolean
}

/** Runs an open loop. */
export const runOpenLoop = async ({ url, tokens, connections, ...schedule }: OpenLoop): Promise<LoadResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  const result = await sendOnSchedule(schedule, (number) => send(url, agent, tokens[number % tokens.length] ?? ''))
  agent.destroy()
  return result
}

/** Sends requests when they are due. */
export const sendOnSchedule = async (
  { ratePerSecond, seconds, patienceSeconds, isRandom = false }: Schedule,
  send: Send,
): Promise<LoadResult> => {
  const count = Math.round(ratePerSecond * seconds)
  const startedAt = performance.now()
  const open = new Map<number, Promise<void>>()
  const tally = createTally()
  let last = 0
  const due = Array.from({ length: count }, () => {
    const moment = last
    last += (isRandom ? -Math.log(1 - Math.random()) : 1) * (1000 / ratePerSecond)
    return moment
  })
  const dueAt = (number: number): number => startedAt + (due[number] ?? 0)

  const measure = async (number: number): Promise<void> => {
    const status = await send(number)
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
  await untilSettled([...open.values()], patienceSeconds * 1000)
  const end = performance.now()
  for (const number of open.keys()) tally.add(0, end - dueAt(number))
  open.clear()
  return tally.read(seconds)
}

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
