import { describe, expect, it } from 'vitest'
import { drawRefreshToken } from '../../src/refresh-token/refresh-token.js'
import { decideRefresh, isWithinGrace } from '../../src/session/decide-refresh.js'
import { createSessionChain } from '../support/session-fixture.js'
import { createTestSystem } from '../support/test-system.js'

const graceSeconds = 30

describe('the decision over a presented refresh token', () => {
  it('rotates the current token', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const decision = decideRefresh(chain.session(), chain.current(), { now: system.now(), graceSeconds })
    expect(decision).toEqual({ kind: 'rotate' })
  })

  it('rotates the current token whatever the distance to the last rotation', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    chain.rotate()
    system.advance(29 * 24 * 3_600_000)
    const decision = decideRefresh(chain.session(), chain.current(), { now: system.now(), graceSeconds })
    expect(decision).toEqual({ kind: 'rotate' })
  })

  it('leads a token that was just replaced to the current one', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    const decision = decideRefresh(chain.session(), first, { now: system.now(), graceSeconds })
    expect(decision).toEqual({ kind: 'repeat', current: chain.current() })
  })

  it('walks over several rotations to the current token', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    for (let rotation = 0; rotation < 8; rotation += 1) chain.rotate()
    const decision = decideRefresh(chain.session(), first, { now: system.now(), graceSeconds })
    expect(decision).toEqual({ kind: 'repeat', current: chain.current() })
  })

  it('takes a token from before the last eight rotations for a replay', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    for (let rotation = 0; rotation < 9; rotation += 1) chain.rotate()
    const decision = decideRefresh(chain.session(), first, { now: system.now(), graceSeconds })
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
    expect(decideRefresh(chain.session(), first, { now: system.now(), graceSeconds }).kind).toBe(kind)
  })

  // Found by the property over any chain of rotations: pruning left a hole in the middle of the list.
  it('walks over a token that a clock a little behind replaced, when that one has left the window first', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    system.advance(-1)
    chain.rotate()
    system.advance(30_001)
    chain.rotate()
    const decision = decideRefresh(chain.session(), first, { now: system.now(), graceSeconds })
    expect(decision).toEqual({ kind: 'repeat', current: chain.current() })
  })

  it('takes every replaced token for a replay when the grace is 0', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    const decision = decideRefresh(chain.session(), first, { now: system.now(), graceSeconds: 0 })
    expect(decision).toEqual({ kind: 'replay' })
  })

  it('takes a verifier that the session never had for a replay', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    chain.rotate()
    const foreign = { ...chain.current(), verifier: drawRefreshToken(system.randomBytes).verifier }
    const decision = decideRefresh(chain.session(), foreign, { now: system.now(), graceSeconds })
    expect(decision).toEqual({ kind: 'replay' })
  })

  it('fails when the stored salts do not lead to the current verifier', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    const [replaced] = chain.session().recentVerifiers
    const damaged = {
      ...chain.session(),
      recentVerifiers: [{ verifierHash: '', replacedAt: 0, ...replaced, salt: system.randomBytes(16).toString('hex') }],
    }
    expect(() => decideRefresh(damaged, first, { now: system.now(), graceSeconds })).toThrow(chain.session().id)
  })

  it('leaves the record as it was', () => {
    const system = createTestSystem()
    const chain = createSessionChain(system)
    const first = chain.current()
    chain.rotate()
    const before = structuredClone(chain.session())
    decideRefresh(chain.session(), first, { now: system.now(), graceSeconds })
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
  ])('of %i s holds what was replaced %i ms ago: %s', (grace, distanceMs, isWithin) => {
    const replaced = { verifierHash: 'hash', salt: 'salt', replacedAt: 1_000_000 }
    expect(isWithinGrace(replaced, 1_000_000 + distanceMs, grace)).toBe(isWithin)
  })
})
