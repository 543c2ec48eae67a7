import { createHmac } from 'node:crypto'

const sharedBits = 20

/**
 * Creates the keys of limits.
 *
 * @param secret The same on all instances that count together, and known to nobody else. Anyone
 *   with the secret could compute names that share a key with a user, and keep this user out
 *   without naming them.
 */
export const createLimitKeys = (secret: Buffer) => {
  // The separator never occurs in a network. The account, which may contain anything, comes last.
  const digest = (parts: readonly string[]): Buffer => createHmac('sha256', secret).update(parts.join('\0')).digest()
  return {
    /**
     * Returns one of 2^20 keys, so that requests without a credential cannot fill a store. Two
     * accounts may share a key. During an attack on one account, logins to the other account from
     * unknown networks are then refused too. Which accounts share a key cannot be computed without
     * the secret.
     */
    sharedKey: (...parts: readonly string[]) => (digest(parts).readUInt32BE() >>> (32 - sharedBits)).toString(36),
    /** Returns a key that nothing else has. For marks, which only a login sets. */
    exactKey: (...parts: readonly string[]) => digest(parts).toString('base64url').slice(0, 22),
  }
}

/** The keys under which attempts are counted. No name and no address can be read from them. */
export type LimitKeys = ReturnType<typeof createLimitKeys>
