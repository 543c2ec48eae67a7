import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { LoadResult } from './load-result.js'
import { type LoadRequest, sendRequest } from './send-request.js'
import { createTally } from './tally.js'

/** Clients that each send the next request after they have received a response, and after the time in `Retry-After`. */
export interface PatientClients {
  readonly url: string
  readonly clients: number
  readonly seconds: number
  /** `number` counts the requests of all clients. */
  readonly requestAt: (number: number) => LoadRequest
}

/** Runs patient clients. Requests without a response at the end are aborted and not counted. */
export const runPatientClients = async ({ url, clients, seconds, requestAt }: PatientClients): Promise<LoadResult> => {
  const agent = new Agent({ keepAlive: true })
  const tally = createTally()
  const end = performance.now() + seconds * 1000
  let requests = 0

  const requestUntilEnd = async (): Promise<void> => {
    while (performance.now() < end) {
      const startedAt = performance.now()
      requests += 1
      const { status, retryAfterSeconds } = await sendRequest(url, agent, requestAt(requests))
      const now = performance.now()
      if (now >= end) return
      tally.add(status, now - startedAt)
      const nextAt = now + retryAfterSeconds * 1000
      // Checked here, since a timer may fire early by a fraction of a millisecond.
      if (nextAt >= end) return
      await wait(nextAt - now)
    }
  }

  const abort = async (): Promise<void> => {
    await wait(seconds * 1000)
    agent.destroy()
  }

  await Promise.all([abort(), ...Array.from({ length: clients }, requestUntilEnd)])
  return tally.read(seconds)
}
