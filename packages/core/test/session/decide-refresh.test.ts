import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-system'
import { describe, expect, it } from 'vitest'
import { decideRefresh } from '../../src/session/decide-refresh.js'
import { generateRefreshToken } from '../../src/session/refresh-token.js'
import { createSessionChain, testPolicy, testSecrets } from '../support/session-fixture.js'

const graceSeconds = 30

describe('the decision about a presented refresh token', () => {
  it('is a rotation for the current token', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const decision = decideRefresh(chain.session(), chain.current(), {
      now: system.now(),
      graceSeconds,
      serviceSecrets: testSecrets,
    })
    expect(decision).toEqual({ kind: 'rotate' })
  })

  it('is a repeat with the current token for a token that was just replaced', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    const decision = decideRefresh(chain.session(), first, {
      now: system.now(),
      graceSeconds,
      serviceSecrets: testSecrets,
    })
    expect(decision).toEqual({ kind: 'repeat', current: chain.current() })
  })

  it('is a repeat with the current token for a token that was replaced eight rotations ago', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    for (let rotation = 0; rotation < 8; rotation += 1) chain.rotate()
    const decision = decideRefresh(chain.session(), first, {
      now: system.now(),
      graceSeconds,
      serviceSecrets: testSecrets,
    })
    expect(decision).toEqual({ kind: 'repeat', current: chain.current() })
  })

  it('is a replay for a token that was replaced nine rotations ago', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    for (let rotation = 0; rotation < 9; rotation += 1) chain.rotate()
    const decision = decideRefresh(chain.session(), first, {
      now: system.now(),
      graceSeconds,
      serviceSecrets: testSecrets,
    })
    expect(decision).toEqual({ kind: 'replay' })
  })

  it.each([
    ['repeat', 0],
    ['repeat', 29_999],
    ['repeat', 30_000],
    ['replay', 30_001],
    ['repeat', -1],
    ['repeat', -30_000],
    ['replay', -30_001],
  ])('is a %s for a token replaced %i ms ago', (kind, distanceMs) => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    system.advance(distanceMs)
    expect(
      decideRefresh(chain.session(), first, { now: system.now(), graceSeconds, serviceSecrets: testSecrets }).kind,
    ).toBe(kind)
  })

  // A case that the property over any chain of rotations found: a verifier was missing in the middle of the list.
  it('is a repeat across a token that an instance with a slower clock replaced, and whose window has ended', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    system.advance(-1)
    chain.rotate()
    system.advance(30_001)
    chain.rotate()
    const decision = decideRefresh(chain.session(), first, {
      now: system.now(),
      graceSeconds,
      serviceSecrets: testSecrets,
    })
    expect(decision).toEqual({ kind: 'repeat', current: chain.current() })
  })

  it('is a replay for a verifier that the session never had', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    chain.rotate()
    const foreign = { ...chain.current(), verifier: generateRefreshToken(system.randomBytes).verifier }
    const decision = decideRefresh(chain.session(), foreign, {
      now: system.now(),
      graceSeconds,
      serviceSecrets: testSecrets,
    })
    expect(decision).toEqual({ kind: 'replay' })
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
          .map((token) => decideRefresh(chain.session(), token, { now: system.now(), graceSeconds, serviceSecrets }))
      return { chain, decide }
    }

    it('is a repeat when the key ring contains the keys of both rotations, in any order', () => {
      const { chain, decide } = rotateAcrossChange()
      const repeat = { kind: 'repeat', current: chain.current() }
      expect(decide([testSecrets[0], formerSecret])).toEqual([repeat, repeat, { kind: 'rotate' }])
      expect(decide([formerSecret, testSecrets[0]])).toEqual([repeat, repeat, { kind: 'rotate' }])
    })

    it('is former-key, not a replay, when the key of a rotation is missing', () => {
      const { chain, decide } = rotateAcrossChange()
      const repeat = { kind: 'repeat', current: chain.current() }
      expect(decide(testSecrets)).toEqual([{ kind: 'former-key' }, repeat, { kind: 'rotate' }])
      expect(decide([formerSecret])).toEqual([{ kind: 'former-key' }, { kind: 'former-key' }, { kind: 'rotate' }])
    })
  })

  it('does not change the record', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    const before = structuredClone(chain.session())
    decideRefresh(chain.session(), first, { now: system.now(), graceSeconds, serviceSecrets: testSecrets })
    expect(chain.session()).toEqual(before)
  })
})

describe('the grace window', () => {
  it.each([
    [1, 1_000, true],
    [1, 1_001, false],
    [1, -1_000, true],
    [1, -1_001, false],
    [300, 300_000, true],
    [0, 0, false],
    [0, -1, false],
  ])('of %i s includes a token that was replaced %i ms ago: %s', (grace, distanceMs, isWithin) => {
    const chain = createSessionChain(createTestSystem())
    const replaced = chain.current()
    chain.rotate()
    const decision = decideRefresh(chain.session(), replaced, {
      now: startOfTests + distanceMs,
      graceSeconds: grace,
      serviceSecrets: testSecrets,
    })
    expect(decision.kind).toBe(isWithin ? 'repeat' : 'replay')
  })
})
