import { scrypt } from 'node:crypto'

/** The cost of a scrypt hash (RFC 7914, section 2), with the names of `node:crypto`. */
export interface ScryptCost {
  /** N, a power of two. */
  readonly cost: number
  /** r. */
  readonly blockSize: number
  /** p. */
  readonly parallelization: number
}

// The costs of memory, in blocks of 128 bytes, and of work. A stored hash must not take all memory of the machine (128 MiB at
// most), or a thread for more than about two seconds.
const most = { cost: 2 ** 20, memory: 2 ** 20, work: 2 ** 22 }

/** Returns whether a cost is in bounds: N a power of two from 2, at most 128 MiB, and at most four times the work of 128 MiB. */
export const isAllowedCost = ({ cost, blockSize, parallelization }: ScryptCost): boolean =>
  [cost, blockSize, parallelization].every((number) => Number.isInteger(number) && number >= 1) &&
  cost >= 2 &&
  cost <= most.cost &&
  (cost & (cost - 1)) === 0 &&
  cost * blockSize <= most.memory &&
  cost * blockSize * parallelization <= most.work

/** Derives a key from a password. */
export const deriveKey = (
  password: string,
  salt: string | Buffer,
  { keyLength, ...cost }: ScryptCost & { readonly keyLength: number },
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // Twice the most memory, because OpenSSL adds some of its own.
    scrypt(password, salt, keyLength, { ...cost, maxmem: 256 * most.memory }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })

/** Does the work that a stored hash lacks, so that every attempt takes the full work, N × r × p. */
export const doMissingWork = async (
  password: string,
  full: ScryptCost,
  done: ScryptCost | undefined,
): Promise<void> => {
  const { blockSize } = full
  let missing = toWork(full) - (done === undefined ? 0 : toWork(done))
  while (missing >= 2 * blockSize) {
    const cost = Math.min(full.cost, 2 ** Math.floor(Math.log2(missing / blockSize)))
    await deriveKey(password, 'jwt-auth', { cost, blockSize, parallelization: 1, keyLength: 32 })
    missing -= cost * blockSize
  }
}

const toWork = ({ cost, blockSize, parallelization }: ScryptCost): number => cost * blockSize * parallelization
