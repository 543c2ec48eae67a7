import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideRefresh } from '../../src/session/decide-refresh.js'
import { createSessionChain, type SessionChain, testPolicy, testSecrets } from '../support/session-fixture.js'

const policy = { ...testPolicy, refreshGraceSeconds: 30 }
const graceMs = policy.refreshGraceSeconds * 1_000

/** The time between two rotations: within the window, beyond it, and slightly negative. */
const stepMs = fc.oneof(
  fc.integer({ min: -2_000, max: 2_000 }),
  fc.integer({ min: 0, max: 20_000 }),
  fc.constantFrom(0, 1, graceMs - 1, graceMs, graceMs + 1, 2 * graceMs),
)

const rotateAfter = (steps: readonly number[]) => {
  const system = createTestSystem()
  const chain = createSessionChain(system, policy)
  const replacedAt: number[] = []
  for (const step of steps) {
    system.advance(step)
    replacedAt.push(system.now())
    chain.rotate()
  }
  return { system, chain, replacedAt }
}

const decideAll = (chain: SessionChain, now: number) =>
  chain.tokens().map((token) =>
    decideRefresh(chain.session(), token, {
      now,
      graceSeconds: policy.refreshGraceSeconds,
      serviceSecrets: testSecrets,
    }),
  )

/**
 * Returns the tokens that a session must remember, as positions in the list of all tokens, newest first. Each rotation removes
 * the oldest tokens while they are outside the window.
 */
const expectRemembered = (replacedAt: readonly number[]): readonly number[] => {
  let remembered: readonly number[] = []
  for (const [place, now] of replacedAt.entries()) {
    remembered = [place, ...remembered]
    const oldestWithin = remembered.findLastIndex((one) => Math.abs(now - (replacedAt[one] ?? 0)) <= graceMs)
    remembered = remembered.slice(0, oldestWithin + 1)
  }
  return remembered
}

describe('any chain of rotations', () => {
  it('makes exactly the tokens that were replaced within the window repeats', () => {
    fc.assert(
      fc.property(fc.array(stepMs, { maxLength: 14 }), stepMs, (steps, wait) => {
        const { system, chain, replacedAt } = rotateAfter(steps)
        system.advance(wait)
        const now = system.now()
        const remembered = expectRemembered(replacedAt)
        const expected = chain.tokens().map((_, place) => {
          if (place === chain.tokens().length - 1) return { kind: 'rotate' }
          const isRepeat = remembered.includes(place) && Math.abs(now - (replacedAt[place] ?? 0)) <= graceMs
          return isRepeat ? { kind: 'repeat', current: chain.current() } : { kind: 'replay' }
        })
        expect(decideAll(chain, now)).toEqual(expected)
      }),
    )
  })

  it('remembers exactly the tokens that were replaced within the window while clocks go forward', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 14 }), (steps) => {
        const { chain, replacedAt } = rotateAfter(steps)
        const last = replacedAt.at(-1) ?? 0
        const expected = replacedAt.filter((instant) => last - instant <= graceMs).reverse()
        expect(chain.session().recentVerifiers.map((recent) => recent.replacedAt)).toEqual(expected)
      }),
    )
  })

  it('never moves the absolute expiry, and keeps the idle expiry before it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 10_000 }),
        (steps, sessionIdleTimeoutSeconds, sessionAbsoluteTimeoutSeconds) => {
          const system = createTestSystem()
          const chain = createSessionChain(system, {
            ...policy,
            sessionIdleTimeoutSeconds,
            sessionAbsoluteTimeoutSeconds,
          })
          const { absoluteExpiresAt, createdAt } = chain.session()
          expect(absoluteExpiresAt).toBe(createdAt + sessionAbsoluteTimeoutSeconds * 1_000)
          for (const step of steps) {
            system.advance(step)
            chain.rotate()
            expect(chain.session().absoluteExpiresAt).toBe(absoluteExpiresAt)
            expect(chain.session().idleExpiresAt).toBe(
              Math.min(system.now() + sessionIdleTimeoutSeconds * 1_000, absoluteExpiresAt),
            )
          }
        },
      ),
    )
  })
})
