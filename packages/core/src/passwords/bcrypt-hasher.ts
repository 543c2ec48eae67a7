import { checkOptionNames, readInteger } from '../option-checks.js'
import { bcryptCosts, newHashPrefix, prepareNew, readBcryptHash } from './bcrypt-hash.js'
import type { PasswordHasher } from './password-hasher.js'

/** How {@link bcryptHasher} hashes. */
export interface BcryptHasherOptions {
  /**
   * bcrypt's work factor, 4 to 15: each step doubles the time. That of new hashes, and of every attempt: take the highest
   * that the stored hashes have. @default 12
   */
  readonly cost?: number | undefined
}

/**
 * bcrypt. New hashes are `$jwtauth1$2b$…`, about 70 characters long, and cover the whole password; `$2a$`, `$2b$`, `$2y$`
 * and WordPress's `$wp$2y$` are read, up to cost 15. The native library is loaded when the first password is hashed.
 */
export const bcryptHasher = (options: BcryptHasherOptions = {}): PasswordHasher => {
  checkOptionNames(options, { cost: true }, 'bcryptHasher')
  const cost = readInteger('cost', options.cost, { ...bcryptCosts, default: 12, unit: 'doublings' })
  return {
    hash: async (password) => {
      const bcrypt = await loadBcrypt()
      return newHashPrefix + (await bcrypt.hash(prepareNew(password), cost))
    },

    verify: async (password, storedHash) => {
      const bcrypt = await loadBcrypt()
      const hash = storedHash === undefined ? undefined : readBcryptHash(storedHash)
      if (hash === undefined) {
        await bcrypt.compare(password, dummyHash(cost))
        return 'mismatch'
      }
      const isMatch = await bcrypt.compare(hash.prepare(password), hash.bcryptHash)
      // 2^from, plus 2^from + 2^(from + 1) + … + 2^(to - 1), is 2^to.
      for (let from = hash.cost; from < cost; from += 1) await bcrypt.compare(password, dummyHash(from))
      if (!isMatch) return 'mismatch'
      return hash.coversAll(password) ? 'match' : 'truncated'
    },

    needsRehash: (storedHash) => {
      const hash = readBcryptHash(storedHash)
      return hash === undefined || !hash.isNew || hash.cost < cost
    },

    isReadable: (storedHash) => readBcryptHash(storedHash) !== undefined,
  }
}

// A host that checks no passwords here (LDAP, single sign-on) never loads it.
const loadBcrypt = async () => (await import('bcrypt')).default

// bcrypt does its full work before it finds that nothing matches; and nothing ever does: the salt's last character has bits
// set that bcrypt writes as zero.
const dummyTail = 'jwtauthdummyhashnobodyCanMatchThisOneAtAllEverAndEver'

const dummyHash = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${dummyTail}`
