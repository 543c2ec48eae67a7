import { Agent } from 'node:http'
import type { LoadResult } from './load-result.js'
import { toLoginRequest } from './login-request.js'
import { runOpenLoop } from './open-loop.js'
import { runPatientClients } from './patient-clients.js'
import { type LoadRequest, sendRequest } from './send-request.js'

/** Logins beside requests that have nothing to do with them. */
export interface Flood {
  readonly url: string
  readonly logins:
    | { readonly kind: 'none' }
    | { readonly kind: 'parallel'; readonly clients: number }
    | { readonly kind: 'rate'; readonly perSecond: number }
  /** Requests for `/file` in a second. */
  readonly filesPerSecond: number
  readonly seconds: number
  readonly password: string
  /** Requests that host and load serve beforehand, one after another, so that both have compiled what they run. */
  readonly warmUp: { readonly files: number; readonly logins: number }
}

/** What became of both. */
export interface FloodResult {
  readonly files: LoadResult
  /** `undefined` where nobody logged in. */
  readonly logins: LoadResult | undefined
}

/** Runs both at once. Files that were not served a second after the end count with the time they waited. */
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
  // Users and addresses that the flood does not come to.
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

// Another user from another address each time: what a limit of attempts lets through, the hashing has to bear.
const toLogin = (number: number, password: string): LoadRequest =>
  toLoginRequest({
    username: `user-${number + 1}`,
    password,
    address: `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
  })
