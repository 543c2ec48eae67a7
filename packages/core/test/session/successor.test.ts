import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveSuccessor, saltBytes } from '../../src/session/refresh-token.js'

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array))
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
