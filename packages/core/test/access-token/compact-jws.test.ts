import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHeader, parseJwsParts } from '../../src/access-token/compact-jws.js'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const encoded = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 9 })

const isReadAsHeader = (part: string): boolean => parseJwsParts(`${part}.AAAA.AAAA`) !== undefined

describe('a part of a compact JWS', () => {
  it('is read in the only canonical spelling of its bytes', () => {
    fc.assert(
      fc.property(encoded, (part) => {
        const isCanonical = part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part
        expect(isReadAsHeader(part)).toBe(isCanonical)
      }),
    )
  })

  it.each([1, 5, 9])('is not read with %i characters, for every last character', (length) => {
    for (const last of alphabet) expect(isReadAsHeader('A'.repeat(length - 1) + last)).toBe(false)
  })

  it('is not read with a character outside of base64url', () => {
    for (let code = 0; code < 0x250; code += 1) {
      const character = String.fromCharCode(code)
      if (!alphabet.includes(character)) expect(isReadAsHeader(`AA${character}A`)).toBe(false)
    }
  })
})

describe('the header of an access token', () => {
  // Four encoded characters stand for three bytes.
  it.each([
    [256, 192, true],
    [258, 193, false],
  ])('of %i encoded characters, from %i bytes, is read: %s', (length, size, isRead) => {
    const start = '{"alg":"HS256","typ":"at+jwt","kid":"'
    const header = { alg: 'HS256', typ: 'at+jwt', kid: 'k'.repeat(size - start.length - 2) }
    const encodedHeader = Buffer.from(JSON.stringify(header)).toString('base64url')
    expect(encodedHeader).toHaveLength(length)
    expect(parseHeader(encodedHeader) !== undefined).toBe(isRead)
  })
})
