import { createHash } from 'node:crypto'

// 2^20 keys for each limit, whatever is sent: a store that counts strangers' attempts grows no further than that.
const foldedBits = 20

/**
 * The key under which attempts of strangers are counted: one of 2^20, so that requests without a credential can't make a
 * store grow. Two accounts may share a key; that one of them is being attacked then hinders the strangers of the other.
 * No name and no address can be read from it.
 */
export const toFoldedKey = (...parts: readonly string[]): string =>
  (digest(parts).readUInt32BE() >>> (32 - foldedBits)).toString(36)

/** The key of what only a login can make: unique. */
export const toUniqueKey = (...parts: readonly string[]): string => digest(parts).toString('base64url').slice(0, 22)

// A separator that a network never holds; the account, which may hold anything, comes last.
const digest = (parts: readonly string[]): Buffer => createHash('sha256').update(parts.join('\0')).digest()
