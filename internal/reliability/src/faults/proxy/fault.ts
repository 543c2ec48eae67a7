/** Which of the two directions of a connection. */
export type Way = 'to-server' | 'to-client' | 'both'

/** What a network can do to connections. */
export type Fault =
  /** Everything goes through at once. */
  | { readonly kind: 'none' }
  /** Bytes arrive later by this many milliseconds, or by as many as are drawn. All that still wait arrive when the fault changes. */
  | { readonly kind: 'delay'; readonly way: Way; readonly delayMs: number | (() => number) }
  /**
   * Bytes vanish, as behind a firewall that forgot the connection. What lost bytes stays silent for good: a gap in a stream never
   * arrives. Each side goes on believing in the other.
   */
  | { readonly kind: 'drop'; readonly way: Way }
  /** Connections break with a RST at both ends, and new ones as soon as they are made. */
  | { readonly kind: 'reset' }
  /** The server's end of each connection is gone without a word, new connections are taken, and nobody answers on any. */
  | { readonly kind: 'half-open' }
  /** New connections are refused; those that stand are left alone. */
  | { readonly kind: 'refuse' }
  /**
   * Once: the first connection on which a client sends this text breaks with a RST, before the server has read a byte of the
   * question, or when its answer is due, so that what was asked has been done and nobody hears of it. Then `none`.
   */
  | { readonly kind: 'cut'; readonly at: 'question' | 'answer'; readonly text: string }
