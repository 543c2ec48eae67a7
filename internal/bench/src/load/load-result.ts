import { createHistogram } from 'node:perf_hooks'

/** The results of a load. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /**
   * The number of responses with each status. The key 0 has the number of requests without a
   * response.
   */
  readonly statuses: Readonly<Record<number, number>>
  /** The greatest latency may be that of a request that was still waiting when the load ended. */
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
}

/** The results of a load so far. */
export interface Tally {
  /** Adds a response. The status 0 stands for none. */
  readonly add: (status: number, latencyMs: number) => void
  readonly read: (seconds: number) => LoadResult
}

/** Creates an empty tally. */
export const createTally = (): Tally => {
  // In microseconds, precise to 0.1 per cent.
  const histogram = createHistogram({ figures: 3 })
  const statuses: Record<number, number> = {}
  return {
    add: (status, latencyMs) => {
      histogram.record(Math.max(1, Math.round(latencyMs * 1000)))
      statuses[status] = (statuses[status] ?? 0) + 1
    },
    read: (seconds) => ({
      requests: histogram.count,
      seconds,
      statuses,
      latencyMs: {
        p50: histogram.percentile(50) / 1000,
        p99: histogram.percentile(99) / 1000,
        max: histogram.max / 1000,
      },
    }),
  }
}

/** Throws when a response has another status. The status 0 stands for a missing response. */
export const requireStatuses = (
  title: string,
  { requests, statuses }: LoadResult,
  allowed: readonly string[],
): void => {
  if (requests > 0 && Object.keys(statuses).every((status) => allowed.includes(status))) return
  throw new Error(`${title} responded to ${requests} requests with ${JSON.stringify(statuses)}.`)
}
