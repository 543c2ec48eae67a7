/** What an Argon2id hash costs (RFC 9106, section 3.1). */
export interface Argon2idCost {
  readonly memoryKib: number
  readonly passes: number
  readonly parallelism: number
}

/**
 * The costs that are written, and read: a stored hash must not be able to take all memory of the host, or a thread for
 * minutes. The most is 4 GiB written for one hash, some seconds.
 */
export const argon2idBounds = {
  memoryKib: { min: 1_024, max: 262_144 },
  passes: { min: 1, max: 16 },
  parallelism: { min: 1, max: 16 },
} as const

// The PHC string format as the reference implementation writes it: these three, in this order, in decimals without a zero
// before, base64 without padding. A key id or further data is nothing that `hash` here makes.
const form =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/

/** Reads the cost of a stored hash; `undefined` when it is none, or out of bounds. */
export const readArgon2idCost = (stored: string): Argon2idCost | undefined => {
  const [, memory, passes, parallelism, salt = '', tag = ''] = form.exec(stored) ?? []
  const cost = { memoryKib: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return isInBounds(cost) && isCanonical(salt) && isCanonical(tag) ? cost : undefined
}

const isInBounds = ({ memoryKib, passes, parallelism }: Argon2idCost): boolean =>
  isWithin(memoryKib, argon2idBounds.memoryKib) &&
  isWithin(passes, argon2idBounds.passes) &&
  isWithin(parallelism, argon2idBounds.parallelism)

const isWithin = (value: number, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  value >= min && value <= max

// The last character of base64 may hold bits of nothing; only zeros are read (RFC 4648, section 3.5).
const isCanonical = (base64: string): boolean =>
  Buffer.from(base64, 'base64').toString('base64').replaceAll('=', '') === base64
