/** The results of a load. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** The number of responses with each status. The key 0 has the number of requests without a response. */
  readonly statuses: Readonly<Record<number, number>>
  /** The greatest latency may be that of a request that was still waiting when the load ended. */
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
}
