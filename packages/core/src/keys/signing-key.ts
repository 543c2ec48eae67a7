import type { KeyObject } from 'node:crypto'

/** The algorithms a key may be bound to (RFC 7518, section 3.2). */
export type Algorithm = 'HS256' | 'HS384' | 'HS512'

/**
 * The least key length for each algorithm, in bytes: that of the hash (RFC 7518, section 3.2).
 */
export const minimumKeyBytes: Record<Algorithm, number> = { HS256: 32, HS384: 48, HS512: 64 }

/** A key bound to its one algorithm. The token's header only names it; it never chooses. */
export interface SigningKey {
  /** Derived from the key, so that all instances with the same key agree. */
  readonly kid: string
  readonly algorithm: Algorithm
  readonly key: KeyObject
}
