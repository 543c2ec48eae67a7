import { inspect } from 'node:util'
import fc from 'fast-check'
import { exchange } from './exchange.js'
import type { FuzzHost } from './fuzz-host.js'
import { type FuzzedRequest, requests, writeRequest } from './fuzzed-request.js'
import { judgeAnswer } from './judge-answer.js'

/** How much is tried, and where a search begins that finds the same again. */
export interface FuzzOptions {
  readonly runs: number
  /** @default another one each time */
  readonly seed?: number | undefined
}

/** Sends requests of every kind to every route. What is wrong with an answer, and the shortest request found for it, or `undefined`. */
export const fuzzRoutes = async (host: FuzzHost, { runs, seed }: FuzzOptions): Promise<string | undefined> => {
  let wrong = ''
  const property = fc.asyncProperty(requests, async (request) => {
    const complaint = await tryRequest(host, request)
    wrong = complaint ?? wrong
    return complaint === undefined
  })
  const {
    failed,
    seed: used,
    counterexample,
  } = await fc.check(property, {
    numRuns: runs,
    ...(seed !== undefined && { seed }),
  })
  return failed ? `seed ${used}: ${wrong}\n${inspect(counterexample?.[0], { depth: 9 })}` : undefined
}

/** With tokens of its own each: a request may revoke them. */
const tryRequest = async (host: FuzzHost, request: FuzzedRequest): Promise<string | undefined> => {
  const [one, other] = [await host.issue(), await host.issue()]
  const { secret } = host
  const written = writeRequest(request, {
    access: { token: one.accessToken, other: other.accessToken, secret },
    refresh: { token: one.refreshToken, other: other.refreshToken, secret },
  })
  const before = host.faults.length
  try {
    const answer = await exchange(host.url, written.bytes, written.isWhole)
    const fault = host.faults[before]
    return fault === undefined ? judgeAnswer(answer, request, written) : `the host heard of ${inspect(fault)}`
  } catch (failure) {
    return String(failure)
  }
}
