import { Agent } from 'node:http'
import type { LoadResult } from './load-result.js'
import { toLoginRequest } from './login-request.js'
import { runOpenLoop } from './open-loop.js'
import { runPatientClients } from './patient-clients.js'
import { type LoadRequest, sendRequest } from './send-request.js'

/** Logins, and concurrent requests of another route. */
export interface Flood {
  readonly url: string
  readonly logins:
    | { readonly kind: 'none' }
    | { readonly kind: 'parallel'; readonly clients: number }
    | { readonly kind: 'rate'; readonly perSecond: number }
  /** Requests of `/file` per second. */
  readonly filesPerSecond: number
  readonly seconds: number
  readonly password: string
  /** Requests before the measurement, one after another, so that the code of the server and of the load is compiled. */
  readonly warmUp: { readonly files: number; readonly logins: number }
}

/** The results of the file requests and of the logins. */
export interface FloodResult {
  readonly files: LoadResult
  /** `undefined` without logins. */
  readonly logins: LoadResult | undefined
}

/**
 * Runs the file requests and the logins concurrently. If a file request has no response one second after the end, its latency is
 * the time that it has waited until then.
 */
export const runFlood = async (flood: Flood): Promise<FloodResult> => {
  await warmUp(flood)
  const [files, logins] = await Promise.all([
    runOpenLoop({
      url: flood.url,
      ratePerSecond: flood.filesPerSecond,
      seconds: flood.seconds,
      connections: 100,
      requestAt: () => fileRequest,
      patienceSeconds: 1,
    }),
    runLogins(flood),
  ])
  return { files, logins }
}

const warmUp = async ({ url, password, warmUp: { files, logins } }: Flood): Promise<void> => {
  const agent = new Agent({ keepAlive: true })
  for (let turn = 0; turn < files; turn += 1) await sendRequest(url, agent, fileRequest)
  // Users and addresses that the flood does not reach.
  for (let turn = 0; turn < logins; turn += 1) await sendRequest(url, agent, toLogin(1_000_000 + turn, password))
  agent.destroy()
}

const fileRequest: LoadRequest = { options: { path: '/file' } }

const runLogins = async ({ url, logins, seconds, password }: Flood): Promise<LoadResult | undefined> => {
  const requestAt = (number: number): LoadRequest => toLogin(number, password)
  switch (logins.kind) {
    case 'none':
      return undefined
    case 'parallel':
      return runPatientClients({ url, clients: logins.clients, seconds, requestAt })
    case 'rate':
      return runOpenLoop({
        url,
        ratePerSecond: logins.perSecond,
        seconds,
        connections: 5_000,
        requestAt,
        patienceSeconds: 1,
      })
  }
}

// Each login has another user and address, so that no limit of attempts applies.
const toLogin = (number: number, password: string): LoadRequest =>
  toLoginRequest({
    username: `user-${number + 1}`,
    password,
    address: `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
  })
