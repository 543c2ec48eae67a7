/** The directions of a connection. */
export type Way = 'to-server' | 'to-client' | 'both'

/** What a proxy does to connections. */
export type Fault =
  /** Passes all bytes on immediately. */
  | { readonly kind: 'none' }
  /** Delays bytes by this time. Delivers the waiting bytes when the fault changes. */
  | { readonly kind: 'delay'; readonly way: Way; readonly delayMs: number | (() => number) }
  /**
   * Drops bytes, as a firewall does that has forgotten the connection. A connection that has lost bytes stays silent, since the
   * bytes after a gap never arrive. Neither side is notified.
   */
  | { readonly kind: 'drop'; readonly way: Way }
  /** Resets connections at both ends with a RST, and new connections immediately. */
  | { readonly kind: 'reset' }
  /** Closes the server's end of each connection without notice, accepts new connections, and sends nothing on them. */
  | { readonly kind: 'half-open' }
  /** Refuses new connections, and leaves existing connections unchanged. */
  | { readonly kind: 'refuse' }
  /**
   * Resets the first connection on which a client sends this text: before the server has read the request, or when its response
   * arrives, so that the request was carried out and the client is not told. Then `none`.
   */
  | { readonly kind: 'cut'; readonly at: 'request' | 'response'; readonly text: string }
