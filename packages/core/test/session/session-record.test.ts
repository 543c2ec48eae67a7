import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { describe, expect, it } from 'vitest'
import {
  checkUser,
  generateSessionId,
  hasTimeForAccessToken,
  isActive,
  isRandomId,
  toEndReason,
  toExpiry,
} from '../../src/session/session-record.js'
import { createSessionChain } from '../support/session-fixture.js'

const sessionOf = (changes: { idleMs?: number; absoluteMs?: number; endedAt?: number | null }) => ({
  ...createSessionChain().session(),
  idleExpiresAt: startOfTests + (changes.idleMs ?? 10_000),
  absoluteExpiresAt: startOfTests + (changes.absoluteMs ?? 20_000),
  endedAt: changes.endedAt ?? null,
})

describe('a session', () => {
  it.each([
    [10_000, 20_000, 10_000],
    [20_000, 10_000, 10_000],
  ])('with the idle expiry %i ms and the absolute expiry %i ms expires at %i ms', (idleMs, absoluteMs, endMs) => {
    expect(toExpiry(sessionOf({ idleMs, absoluteMs }))).toBe(startOfTests + endMs)
  })

  it.each([
    ['before its idle expiry', true, 9_999, {}],
    ['at its idle expiry', false, 10_000, {}],
    ['at its absolute expiry', false, 20_000, { idleMs: 30_000 }],
    ['after it was ended', false, 1, { endedAt: startOfTests }],
    ['when it was ended at the instant zero', false, 1, { endedAt: 0 }],
    ['when it was ended by an instance whose clock is ahead', false, 1, { endedAt: startOfTests + 2 }],
  ])('is active %s: %s', (_, expected, nowMs, changes) => {
    expect(isActive(sessionOf(changes), startOfTests + nowMs)).toBe(expected)
  })

  it.each([
    [8_999, true],
    [9_000, true],
    [9_999, true],
    [10_000, false],
    [10_400, false],
  ])('that expires at 10.5 s has a whole second for an access token at %i ms: %s', (nowMs, hasTime) => {
    expect(hasTimeForAccessToken(sessionOf({ idleMs: 10_500 }), startOfTests + nowMs)).toBe(hasTime)
  })
})

describe('a session', () => {
  it.each([
    ['the same version', ann, 'v1'],
    ['a number that is stored as text', { ...ann, credentialVersion: 3 }, '3'],
    ['no version, if none was stored', { ...ann, credentialVersion: undefined }, null],
    ['null as version, if none was stored', { ...ann, credentialVersion: null }, null],
  ])('continues for a user with %s', (_, user, version) => {
    expect(checkUser(user, version)).toBe(user)
  })

  it.each([
    ['a user who does not exist', 'user_unavailable', undefined, 'v1'],
    ['a disabled user', 'user_unavailable', { ...ann, disabled: true }, 'v1'],
    ['another version', 'credentials_changed', ann, 'v0'],
    ['a version, if none was stored', 'credentials_changed', ann, null],
    ['no version, if one was stored', 'credentials_changed', { ...ann, credentialVersion: undefined }, 'v1'],
  ])('ends for %s with the reason %s', (_, reason, user, version) => {
    const change = checkUser(user, version)
    expect(typeof change === 'string' && toEndReason(change)).toBe(reason)
  })
})

const id = 'AbCdEfGhIjKlMnOpQr-_09'

describe('the id of a session', () => {
  it('is 16 random bytes as 22 characters of base64url', () => {
    const drawn: number[] = []
    const written = generateSessionId((size) => {
      drawn.push(size)
      return Buffer.alloc(size, 0xff)
    })
    expect(drawn).toEqual([16])
    expect(written).toBe(`${'_'.repeat(21)}w`)
  })

  it('is recognized by its form', () => {
    expect(isRandomId(id)).toBe(true)
    expect(isRandomId(generateSessionId(createTestSystem().randomBytes))).toBe(true)
  })

  it.each([
    ['undefined', undefined],
    ['empty text', ''],
    ['a character too few', id.slice(1)],
    ['a character too many', `${id}A`],
    ['a character before it', `.${id}`],
    ['a line feed after it', `${id}\n`],
    ['a line before it', `\n${id}`],
    ['another alphabet', `+${id.slice(1)}`],
    ['a number with 22 digits', 10n ** 21n],
    ['a list whose text is an id', [id]],
    ['an object whose text is an id', { toString: () => id }],
  ])('is not %s', (_, value) => {
    expect(isRandomId(value)).toBe(false)
  })
})
