import autocannon from 'autocannon'
import type { LoadResult } from './load-result.js'

/** As many requests as a server answers: each connection asks again when it has its answer. */
export interface ClosedLoop {
  readonly url: string
  /** Used in turn, each by one connection alone while there are enough of them. */
  readonly tokens: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Ends after so many requests instead. */
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
      client.setRequests(takeShare(tokens, { share: clients % connections, of: connections }).map(toRequest))
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

// All connections begin at once: with one list for all they would ask with the same token at the same moment.
const takeShare = (
  tokens: readonly string[],
  { share, of }: { readonly share: number; readonly of: number },
): readonly string[] => {
  const own = tokens.filter((_, place) => place % of === share)
  return own.length > 0 ? own : tokens.slice(share % tokens.length, (share % tokens.length) + 1)
}

const toRequest = (token: string): autocannon.Request => ({
  method: 'GET',
  headers: { authorization: `Bearer ${token}` },
})
