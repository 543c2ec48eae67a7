/** The results of a load. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** The number of responses with each status. The number of requests without a response is at 0. */
  readonly statuses: Readonly<Record<number, number>>
  /** The greatest latency may be that of a request that was still waiting when the load ended. */
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
}
