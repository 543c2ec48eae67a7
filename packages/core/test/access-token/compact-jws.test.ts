import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJwsParts } from '../../src/access-token/compact-jws.js'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const encoded = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 9 })

const isReadAsHeader = (part: string): boolean => readJwsParts(`${part}.AAAA.AAAA`) !== undefined

describe('a part of a compact JWS', () => {
  it('is read when it is the one spelling of its bytes, and only then', () => {
    fc.assert(
      fc.property(encoded, (part) => {
        const isCanonical = part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part
        expect(isReadAsHeader(part)).toBe(isCanonical)
      }),
    )
  })

  it.each([1, 5, 9])('is not read with %i characters, whatever the last one is', (length) => {
    for (const last of alphabet) expect(isReadAsHeader('A'.repeat(length - 1) + last)).toBe(false)
  })

  it('is not read with any character but those of base64url', () => {
    for (let code = 0; code < 0x250; code += 1) {
      const character = String.fromCharCode(code)
      if (!alphabet.includes(character)) expect(isReadAsHeader(`AA${character}A`)).toBe(false)
    }
  })
})
