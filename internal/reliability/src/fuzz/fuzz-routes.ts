import { inspect } from 'node:util'
import { exchange } from './exchange.js'
import { type FuzzOptions, findComplaint } from './find-complaint.js'
import type { FuzzHost } from './fuzz-host.js'
import { type FuzzedRequest, requests, writeRequest } from './fuzzed-request.js'
import { judgeResponse } from './judge-response.js'

/**
 * Sends requests of every kind to every route. Resolves to a complaint about a response with the shortest request found, or to
 * `undefined`.
 */
export const fuzzRoutes = (host: FuzzHost, options: FuzzOptions): Promise<string | undefined> =>
  findComplaint(requests, (request) => tryRequest(host, request), options)

// Each request has new tokens, since it may revoke them.
const tryRequest = async (host: FuzzHost, request: FuzzedRequest): Promise<string | undefined> => {
  const [one, other] = [await host.issue(), await host.issue()]
  const { secret } = host
  const written = writeRequest(request, {
    access: { token: one.accessToken, other: other.accessToken, secret },
    refresh: { token: one.refreshToken, other: other.refreshToken, secret },
  })
  const before = host.faults.length
  try {
    const response = await exchange(host.url, written.bytes, written.isComplete)
    const fault = host.faults[before]
    return fault === undefined ? judgeResponse(response, request, written) : `onError received ${inspect(fault)}`
  } catch (failure) {
    return String(failure)
  }
}
