/** What a load saw. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** How often each status came; 0 for requests that got none. */
  readonly statuses: Readonly<Record<number, number>>
  /** The greatest latency is also that of a request that was still waiting when the load ended. */
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
}
