import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBcryptHash } from '../src/bcrypt.js'

// As the library writes it: 22 characters of salt, 31 characters of digest.
const tail = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

describe('readBcryptHash', () => {
  it.each([4, 15])('reads a hash of cost %i', (cost) => {
    const digits = String(cost).padStart(2, '0')
    expect(readBcryptHash(`$2y$${digits}$${tail}`)).toMatchObject({ cost, bcryptHash: `$2b$${digits}$${tail}` })
  })

  // A cost of 31 would hold a thread for a day.
  it.each(['00', '03', '16', '31', '99'])('returns undefined for a hash of cost %s', (digits) => {
    expect(readBcryptHash(`$2b$${digits}$${tail}`)).toBeUndefined()
  })

  it.each([
    ['$jwtauth1', true],
    ['$wp', false],
    ['', false],
  ])('returns, for a hash with the prefix "%s", isNew: %s', (prefix, isNew) => {
    expect(readBcryptHash(`${prefix}$2b$10$${tail}`)).toMatchObject({ isNew })
  })

  it("trims the password of a WordPress hash like PHP's trim", () => {
    const wordpress = readBcryptHash(`$wp$2y$10$${tail}`)
    const character = fc.constantFrom(...' \t\n\r\0\v', 'a', '\u00a0', '\f', '\u{1f600}')
    fc.assert(
      fc.property(fc.string({ unit: character }), (password) => {
        const left = password.replace(/^[ \t\n\r\0\v]+/, '').replace(/[ \t\n\r\0\v]+$/, '')
        expect(wordpress?.prepare(password)).toBe(wordpress?.prepare(left))
        expect(wordpress?.coversAll(password)).toBe(password === left)
      }),
    )
  })

  it.each([`$2x$10$${tail}`, `$2b$1$${tail}`, `$2b$10$${tail}x`, `$2b$10$${tail.slice(0, -1)}X`, ''])(
    'returns undefined for %j',
    (stored) => {
      expect(readBcryptHash(stored)).toBeUndefined()
    },
  )
})
