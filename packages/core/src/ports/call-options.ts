/** How a call may be cut short. */
export interface CallOptions {
  /**
   * Aborts when the caller's deadline is over. From then on nobody hears the answer: a statement that was not sent is never
   * sent, a call in flight is cancelled, its connection is not used again, and the call rejects without waiting for the backend.
   */
  readonly signal?: AbortSignal | undefined
}
