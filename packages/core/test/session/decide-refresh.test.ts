import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { decideRefresh } from '../../src/session/decide-refresh.js'
import { generateRefreshToken, type RefreshToken } from '../../src/session/refresh-token.js'
import { createSessionChain, testPolicy, testSecrets } from '../support/session-fixture.js'

/** Rotates a session, with the given pause after each rotation. `first` is the oldest of its tokens. */
const rotate = (...pausesMs: readonly number[]) => {
  const system = createTestSystem()
  const chain = createSessionChain(system)
  const first = chain.current()
  for (const pauseMs of pausesMs) {
    chain.rotate()
    system.advance(pauseMs)
  }
  const decide = (token: RefreshToken, graceSeconds = 30) =>
    decideRefresh(chain.session(), token, { now: system.now(), graceSeconds, serviceSecrets: testSecrets })
  return { chain, first, system, decide }
}

describe('the decision about a presented refresh token', () => {
  it('is a rotation for the current token', () => {
    const { chain, decide } = rotate()
    expect(decide(chain.current())).toEqual({ kind: 'rotate' })
  })

  it.each([
    ['was just replaced', [0]],
    ['was replaced 32 rotations ago', Array(32).fill(0)],
    // A case that the property over any chain of rotations found: a verifier was missing in the middle of the list.
    ['lies before a token that an instance with a slower clock replaced, and whose window has ended', [-1, 30_001, 0]],
  ])('is a repeat with the current token for a token that %s', (_, pausesMs) => {
    const { chain, first, decide } = rotate(...pausesMs)
    expect(decide(first)).toEqual({ kind: 'repeat', current: chain.current() })
  })

  it('keeps the current token after 32 rotations within the grace window, and rotates it when the window of the first has passed', () => {
    const { chain, system, decide } = rotate(1, ...Array(31).fill(0))
    expect(decide(chain.current())).toEqual({ kind: 'keep' })
    system.advance(29_999)
    expect(decide(chain.current())).toEqual({ kind: 'keep' })
    system.advance(1)
    expect(decide(chain.current())).toEqual({ kind: 'rotate' })
  })

  it('is a replay for a verifier that the session never had', () => {
    const { chain, system, decide } = rotate(0)
    const { verifier } = generateRefreshToken(system.randomBytes)
    expect(decide({ ...chain.current(), verifier })).toEqual({ kind: 'replay' })
  })

  it.each([
    ['repeat', 0, 30],
    ['repeat', 30_000, 30],
    ['replay', 30_001, 30],
    ['repeat', -30_000, 30],
    ['replay', -30_001, 30],
    ['repeat', 1_000, 1],
    ['replay', 1_001, 1],
    ['repeat', 300_000, 300],
    ['replay', 0, 0],
    ['replay', -1, 0],
  ])('is a %s for a token replaced %i ms ago, with a grace window of %i s', (kind, pauseMs, graceSeconds) => {
    const { first, decide } = rotate(pauseMs)
    expect(decide(first, graceSeconds).kind).toBe(kind)
  })

  describe('after a change of keys', () => {
    const formerSecret = Buffer.alloc(32, 8)

    /** Rotates once with the former key, and once with the present key. */
    const rotateAcrossChange = () => {
      const system = createTestSystem()
      const secrets: [Buffer] = [formerSecret]
      const chain = createSessionChain(system, testPolicy, secrets)
      chain.rotate()
      secrets[0] = testSecrets[0]
      chain.rotate()
      const decide = (serviceSecrets: readonly [Buffer, ...Buffer[]]) =>
        chain
          .tokens()
          .map((token) =>
            decideRefresh(chain.session(), token, { now: system.now(), graceSeconds: 30, serviceSecrets }),
          )
      return { repeat: { kind: 'repeat', current: chain.current() }, decide }
    }

    it('is a repeat when the key ring contains the keys of both rotations, in any order', () => {
      const { repeat, decide } = rotateAcrossChange()
      expect(decide([testSecrets[0], formerSecret])).toEqual([repeat, repeat, { kind: 'rotate' }])
      expect(decide([formerSecret, testSecrets[0]])).toEqual([repeat, repeat, { kind: 'rotate' }])
    })

    it('is former-key, not a replay, when the key of a rotation is missing', () => {
      const { repeat, decide } = rotateAcrossChange()
      expect(decide(testSecrets)).toEqual([{ kind: 'former-key' }, repeat, { kind: 'rotate' }])
      expect(decide([formerSecret])).toEqual([{ kind: 'former-key' }, { kind: 'former-key' }, { kind: 'rotate' }])
    })
  })
})
