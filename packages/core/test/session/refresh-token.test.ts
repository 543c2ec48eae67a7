import { createHash, createHmac } from 'node:crypto'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  deriveSuccessor,
  formatRefreshToken,
  generateRefreshToken,
  parseRefreshToken,
  saltBytes,
  toHash,
} from '../../src/session/refresh-token.js'

const prefix = 'jwtauth_rt_'
const body = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdEfGhIjKlMnOpQrStUvWxYz'

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array))

/** Any UTF-16 code unit, more often ASCII. */
const codeUnit = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff }))
  .map((unit) => String.fromCharCode(unit))

describe('a refresh token', () => {
  it('consists of a prefix and 64 characters of base64url', () => {
    const text = formatRefreshToken(generateRefreshToken(createTestSystem().randomBytes))
    expect(text).toMatch(/^jwtauth_rt_[A-Za-z0-9_-]{64}$/)
  })

  it('is generated from 16 bytes for the selector and 32 bytes for the verifier', () => {
    const drawn: number[] = []
    const token = generateRefreshToken((size) => {
      drawn.push(size)
      return Buffer.alloc(size, drawn.length)
    })
    expect(drawn).toEqual([16, 32])
    expect(token).toEqual({ selector: Buffer.alloc(16, 1), verifier: Buffer.alloc(32, 2) })
  })

  it('is parsed to what was formatted', () => {
    fc.assert(
      fc.property(bytes(16), bytes(32), (selector, verifier) => {
        expect(parseRefreshToken(formatRefreshToken({ selector, verifier }))).toEqual({ selector, verifier })
      }),
    )
  })

  it('has exactly one spelling', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^jwtauth_rt_[A-Za-z0-9_-]{64}$/), (text) => {
        const token = parseRefreshToken(text)
        expect(token && formatRefreshToken(token)).toBe(text)
      }),
    )
  })

  it.each([
    ['empty text', ''],
    ['the prefix alone', prefix],
    ['no prefix', body],
    ['another prefix', `jwtauth_at_${body}`],
    ['the prefix in upper case', `JWTAUTH_RT_${body}`],
    ['the prefix twice', prefix + prefix + body],
    ['a character too few', prefix + body.slice(1)],
    ['a character too many', `${prefix}${body}A`],
    ['padding', `${prefix}${body}=`],
    ['padding in place of a character', `${prefix}${body.slice(1)}=`],
    ['a plus sign of the other alphabet', `${prefix}+${body.slice(1)}`],
    ['a slash of the other alphabet', `${prefix}/${body.slice(1)}`],
    ['a letter outside ASCII', `${prefix}é${body.slice(1)}`],
    ['a fullwidth letter', `${prefix}Ａ${body.slice(1)}`],
    ['NUL', `${prefix}\0${body.slice(1)}`],
    ['a space before', ` ${prefix}${body}`],
    ['a space after', `${prefix}${body} `],
    ['a line feed after', `${prefix}${body}\n`],
    ['a line feed and another line', `${prefix}${body}\n${prefix}${body}`],
    ['an access token', 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA'],
  ])('is refused with %s', (_, text) => {
    expect(parseRefreshToken(text)).toBeUndefined()
  })

  it('is refused with any character outside the alphabet at any position', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: body.length - 1 }),
        codeUnit.filter((one) => !/^[A-Za-z0-9_-]$/.test(one)),
        (position, character) => {
          const text = prefix + body.slice(0, position) + character + body.slice(position + 1)
          expect(parseRefreshToken(text)).toBeUndefined()
        },
      ),
    )
  })
})

describe('the stored hash of a refresh token', () => {
  it('is the SHA-256 in base64url', () => {
    const secret = Buffer.from('some secret bytes')
    expect(toHash(secret)).toBe(createHash('sha256').update(secret).digest('base64url'))
    expect(toHash(secret)).toHaveLength(43)
  })
})

const token = fc.record({ selector: bytes(16), verifier: bytes(32) })

const derivation = fc.record({ salt: bytes(saltBytes), serviceSecret: bytes(32) })

describe('the successor of a refresh token', () => {
  it('is HMAC-SHA-256 over the salt and the selector, keyed by an HMAC of the verifier under the service secret', () => {
    const presented = { selector: Buffer.alloc(16, 1), verifier: Buffer.alloc(32, 2) }
    const salt = Buffer.alloc(16, 3)
    const serviceSecret = Buffer.alloc(32, 4)
    const key = createHmac('sha256', serviceSecret).update(presented.verifier).digest()
    const expected = createHmac('sha256', key)
      .update(Buffer.concat([salt, presented.selector]))
      .digest()
    const successor = deriveSuccessor(presented, { salt, serviceSecret })
    expect(successor).toEqual({ selector: presented.selector, verifier: expected })
  })

  it('is the same each time, and has the same selector and a verifier of 32 bytes', () => {
    fc.assert(
      fc.property(token, derivation, (presented, inputs) => {
        const successor = deriveSuccessor(presented, inputs)
        expect(successor).toEqual(deriveSuccessor(presented, inputs))
        expect(successor.selector).toEqual(presented.selector)
        expect(successor.verifier).toHaveLength(32)
      }),
    )
  })

  it('depends on the verifier, on the selector, on the salt and on the service secret', () => {
    fc.assert(
      fc.property(token, derivation, fc.nat({ max: 15 }), (presented, inputs, position) => {
        const flip = (buffer: Buffer): Buffer =>
          Buffer.from(buffer.map((byte, at) => (at === position ? byte ^ 1 : byte)))
        const verifiers = [
          deriveSuccessor(presented, inputs),
          deriveSuccessor({ ...presented, verifier: flip(presented.verifier) }, inputs),
          deriveSuccessor({ ...presented, selector: flip(presented.selector) }, inputs),
          deriveSuccessor(presented, { ...inputs, salt: flip(inputs.salt) }),
          deriveSuccessor(presented, { ...inputs, serviceSecret: flip(inputs.serviceSecret) }),
        ].map(({ verifier }) => verifier.toString('hex'))
        expect(new Set(verifiers).size).toBe(5)
      }),
    )
  })
})
