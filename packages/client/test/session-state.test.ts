import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNewer, parseState, type SessionState } from '../src/session-state.js'

const endedRefreshes = 1e9

const state = fc.record({
  login: fc.integer({ min: 0, max: 3 }),
  refreshes: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(endedRefreshes)),
  sentAt: fc.integer({ min: 0, max: 3 }),
})

const order = (states: readonly SessionState[]): SessionState | undefined =>
  states.reduce<SessionState | undefined>(
    (newest, next) => (newest === undefined || isNewer(next, newest) ? next : newest),
    undefined,
  )

describe('of two states', () => {
  it('each tab chooses the same one, in whichever order the states arrive', () => {
    fc.assert(
      fc.property(
        fc
          .array(state, { maxLength: 6 })
          .chain((states) => fc.tuple(fc.constant(states), fc.shuffledSubarray(states, { minLength: states.length }))),
        ([states, shuffled]) => {
          expect(order(shuffled)).toEqual(order(states))
        },
      ),
    )
  })

  it('at most one is the newer', () => {
    fc.assert(
      fc.property(state, state, (one, two) => {
        expect(isNewer(one, two) && isNewer(two, one)).toBe(false)
      }),
    )
  })

  it('the end of a session wins over each of its refreshes, and loses to a later login', () => {
    const ended = { login: 5, refreshes: endedRefreshes, sentAt: 1 }

    expect(isNewer(ended, { login: 5, refreshes: 900, sentAt: 2 })).toBe(true)
    expect(isNewer({ login: 6, refreshes: 0, sentAt: 0 }, ended)).toBe(true)
  })

  it('of one refresh number, the one that was requested later wins', () => {
    expect(isNewer({ login: 5, refreshes: 1, sentAt: 2 }, { login: 5, refreshes: 1, sentAt: 1 })).toBe(true)
  })
})

describe('a stored text', () => {
  it('is read back as it was written, by the client that wrote it only', () => {
    const written = {
      login: 5,
      refreshes: 2,
      sentAt: 3,
      session: { accessToken: 'a', user: { id: 1, email: '', nicename: '', displayName: '' } },
    }

    const text = JSON.stringify({ ...written, name: 'name' })
    expect(parseState(text, 'name')).toEqual({ ...written, name: 'name' })
    expect(parseState(text, 'another')).toBe(undefined)
  })

  it('of any other form is no state', () => {
    fc.assert(fc.property(fc.string(), (text) => parseState(text, 'name') === undefined))
  })
})
