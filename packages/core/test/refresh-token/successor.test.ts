import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveSuccessor, saltBytes } from '../../src/refresh-token/successor.js'

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array))
const token = fc.record({ selector: bytes(16), verifier: bytes(32) })

describe('the successor of a refresh token', () => {
  it('is HMAC-SHA-256, keyed by the verifier, over the salt and the selector', () => {
    const presented = { selector: Buffer.alloc(16, 1), verifier: Buffer.alloc(32, 2) }
    const salt = Buffer.alloc(16, 3)
    const expected = createHmac('sha256', presented.verifier)
      .update(Buffer.concat([salt, presented.selector]))
      .digest()
    expect(deriveSuccessor(presented, salt)).toEqual({ selector: presented.selector, verifier: expected })
  })

  it('is the same each time, and has a verifier of 32 bytes under the same selector', () => {
    fc.assert(
      fc.property(token, bytes(saltBytes), (presented, salt) => {
        const successor = deriveSuccessor(presented, salt)
        expect(successor).toEqual(deriveSuccessor(presented, salt))
        expect(successor.selector).toEqual(presented.selector)
        expect(successor.verifier).toHaveLength(32)
      }),
    )
  })

  it('depends on the verifier, on the salt and on the selector', () => {
    fc.assert(
      fc.property(token, bytes(saltBytes), fc.nat({ max: 15 }), (presented, salt, position) => {
        const flip = (buffer: Buffer): Buffer =>
          Buffer.from(buffer.map((byte, at) => (at === position ? byte ^ 1 : byte)))
        const verifiers = [
          deriveSuccessor(presented, salt),
          deriveSuccessor({ ...presented, verifier: flip(presented.verifier) }, salt),
          deriveSuccessor({ ...presented, selector: flip(presented.selector) }, salt),
          deriveSuccessor(presented, flip(salt)),
        ].map(({ verifier }) => verifier.toString('hex'))
        expect(new Set(verifiers).size).toBe(4)
      }),
    )
  })
})
