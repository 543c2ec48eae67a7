import bcrypt from 'bcrypt'

const { hash, compare } = bcrypt

/**
 * Lets bcrypt hash at its lowest cost in this process, for the tests of programs that set no cost.
 * Returns the function that ends this, as `beforeAll` takes it. Stored hashes of another cost still
 * match.
 */
export const hashCheaply = (): (() => void) => {
  Object.assign(bcrypt, {
    hash: (password: string) => hash(password, 4),
    // The work for a missing or a cheaper hash.
    compare: (password: string, stored: string) =>
      compare(password, stored.replace(/^\$2b\$\d\d(?=\$jwtauthdummy)/, '$2b$04')),
  })
  return () => void Object.assign(bcrypt, { hash, compare })
}
