import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endedTurn, formatState, isNewer, isState, parseState, type SessionState } from '../src/session-state.js'

const state = fc.record({
  epoch: fc.integer({ min: 0, max: 3 }),
  turn: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(endedTurn)),
  at: fc.integer({ min: 0, max: 3 }),
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
    const ended = { epoch: 5, turn: endedTurn, at: 1 }

    expect(isNewer(ended, { epoch: 5, turn: 900, at: 2 })).toBe(true)
    expect(isNewer({ epoch: 6, turn: 0, at: 0 }, ended)).toBe(true)
  })

  it('of one turn, the one that was requested later wins', () => {
    expect(isNewer({ epoch: 5, turn: 1, at: 2 }, { epoch: 5, turn: 1, at: 1 })).toBe(true)
  })
})

describe('a stored text', () => {
  it('is read back as it was written, by the client that wrote it only', () => {
    const written = {
      epoch: 5,
      turn: 2,
      at: 3,
      session: { accessToken: 'a', user: { id: 1, email: '', nicename: '', displayName: '' } },
    }

    expect(parseState(formatState(written, 'name'), 'name')).toEqual({ ...written, name: 'name' })
    expect(parseState(formatState(written, 'another'), 'name')).toBe(undefined)
  })

  it('or a message of any other form is no state', () => {
    fc.assert(fc.property(fc.string(), (text) => parseState(text, 'name') === undefined))
    for (const value of [null, undefined, 1, 'text', [], {}, { epoch: 1, turn: 1 }, { epoch: 'x', turn: 1, at: 1 }]) {
      expect(isState(value)).toBe(false)
    }
  })
})
