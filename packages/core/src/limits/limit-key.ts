import { createHmac } from 'node:crypto'

// 2^20 keys for each limit, whatever is sent: a store that counts strangers' attempts grows no further than that.
const foldedBits = 20

/** The keys under which attempts are counted. No name and no address can be read from them. */
export interface LimitKeys {
  /**
   * One of 2^20, so that requests without a credential can't make a store grow. Two accounts may share a key; that one of them is
   * being attacked then hinders the strangers of the other. Which do, only the service's own keys tell.
   */
  readonly fold: (...parts: readonly string[]) => string
  /** Unique: of what only a login can make. */
  readonly unique: (...parts: readonly string[]) => string
}

/**
 * Makes the keys.
 *
 * @param secret the same on all instances that count together, and nobody else's: with it, names that share a key with somebody's
 *   can be computed, and that somebody kept out without being named
 */
export const createLimitKeys = (secret: Buffer): LimitKeys => {
  // A separator that a network never holds; the account, which may hold anything, comes last.
  const digest = (parts: readonly string[]): Buffer => createHmac('sha256', secret).update(parts.join('\0')).digest()
  return {
    fold: (...parts) => (digest(parts).readUInt32BE() >>> (32 - foldedBits)).toString(36),
    unique: (...parts) => digest(parts).toString('base64url').slice(0, 22),
  }
}
