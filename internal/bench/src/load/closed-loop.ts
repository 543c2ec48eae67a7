import autocannon from 'autocannon'
import type { LoadResult } from './load-result.js'

/**
 * Requests at the rate of the responses: each connection sends the next request after it has
 * received a response.
 */
export interface ClosedLoop {
  readonly url: string
  /** Sent in turn. Each token is sent by one connection only, when there are enough tokens. */
  readonly tokens: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Ends after this many requests instead of after `seconds`. */
  readonly amount?: number | undefined
}

/** Runs a closed loop with autocannon. */
export const runClosedLoop = async ({ url, tokens, connections, seconds, amount }: ClosedLoop): Promise<LoadResult> => {
  let clients = 0
  const result = await autocannon({
    url,
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    sampleInt: Math.min(1_000, Math.ceil(seconds * 500)),
    setupClient: (client) => {
      const share = takeShare(tokens, { share: clients % connections, of: connections })
      client.setRequests(share.map((token) => ({ method: 'GET', headers: { authorization: `Bearer ${token}` } })))
      clients += 1
    },
  })
  const { latency, statusCodeStats } = result
  const statuses = Object.entries(statusCodeStats ?? {}).map(([status, { count }]) => [status, count ?? 0] as const)
  return {
    requests: result.requests.total,
    seconds: result.duration,
    statuses: Object.fromEntries(result.errors > 0 ? [...statuses, [0, result.errors]] : statuses),
    latencyMs: { p50: latency.p50, p99: latency.p99, max: latency.max },
  }
}

// All connections start at the same time. With one list for all, they would send the same token at
// the same time.
const takeShare = (
  tokens: readonly string[],
  { share, of }: { readonly share: number; readonly of: number },
): readonly string[] => {
  const own = tokens.filter((_, place) => place % of === share)
  return own.length > 0 ? own : tokens.slice(share % tokens.length, (share % tokens.length) + 1)
}
