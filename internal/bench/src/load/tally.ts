import { createHistogram } from 'node:perf_hooks'
import type { LoadResult } from './load-result.js'

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
    read: (seconds) => {
      const toMs = (microseconds: number): number => microseconds / 1000
      return {
        requests: histogram.count,
        seconds,
        statuses,
        latencyMs: {
          p50: toMs(histogram.percentile(50)),
          p99: toMs(histogram.percentile(99)),
          max: toMs(histogram.max),
        },
      }
    },
  }
}
