import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBcryptHash } from '../../src/passwords/bcrypt-hash.js'

// Of the form that the library writes: 22 characters of salt, 31 of digest.
const tail = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

describe('a stored bcrypt hash', () => {
  it.each([4, 15])('of cost %i is read', (cost) => {
    const digits = String(cost).padStart(2, '0')
    expect(readBcryptHash(`$2y$${digits}$${tail}`)).toMatchObject({ cost, bcryptHash: `$2b$${digits}$${tail}` })
  })

  // A cost of 31 would hold a thread for a day.
  it.each(['00', '03', '16', '31', '99'])('of cost %s is not', (digits) => {
    expect(readBcryptHash(`$2b$${digits}$${tail}`)).toBeUndefined()
  })

  it.each([
    ['$jwtauth1', true],
    ['$wp', false],
    ['', false],
  ])('behind the prefix "%s" is new: %s', (prefix, isNew) => {
    expect(readBcryptHash(`${prefix}$2b$10$${tail}`)).toMatchObject({ isNew })
  })

  it("of WordPress is compared with what PHP's trim leaves of a password", () => {
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
    '%j is none',
    (stored) => {
      expect(readBcryptHash(stored)).toBeUndefined()
    },
  )
})
