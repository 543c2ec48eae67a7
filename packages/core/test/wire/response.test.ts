import { describe, expect, it } from 'vitest'
import { reservedMemberNames } from '../../src/access-token/host-claims.js'
import { AuthError } from '../../src/errors/auth-error.js'
import { toAuthenticationResponse, toErrorResponse, toUserResponse } from '../../src/wire/response.js'

const retryAfterOf = (error: AuthError, byte: number): string | undefined =>
  toErrorResponse(error, { realm: 'test', randomByte: () => byte }).headers['Retry-After']

describe('Retry-After of a 503', () => {
  it('is one to five whole seconds, from a random byte', () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte)
    const seconds = bytes.map((byte) => retryAfterOf(new AuthError('jwt_auth_unavailable'), byte))
    expect([...new Set(seconds)].toSorted()).toEqual(['1', '2', '3', '4', '5'])
  })

  it('is the time of the error if the error has a time', () => {
    expect(retryAfterOf(new AuthError('jwt_auth_unavailable', { retryAfterSeconds: 7 }), 255)).toBe('7')
  })
})

describe('Retry-After of other errors', () => {
  it('is absent, except for a 429 without a time, which has one second', () => {
    expect(retryAfterOf(new AuthError('jwt_auth_invalid_token'), 255)).toBeUndefined()
    expect(retryAfterOf(new AuthError('jwt_auth_rate_limited'), 255)).toBe('1')
  })
})

const user = { id: 1, email: 'ann@example.com' }

/** Returns the URL-safe name and the name for display, under the names of both routes. */
const namesOf = (names: object): readonly unknown[] => {
  const result = {
    accessToken: 'a',
    refreshToken: 'r',
    expiresInSeconds: 1,
    tokenType: 'Bearer' as const,
    sessionExpiresInSeconds: 60,
    sessionId: 's',
    profile: {},
    user: { ...user, ...names },
  }
  const login = JSON.parse(toAuthenticationResponse(result).body)
  const { slug, name, ...me } = JSON.parse(toUserResponse(result.user).body)
  expect([slug, name]).toEqual([me.user_nicename, me.user_display_name])
  expect([slug, name]).toEqual([login.user_nicename, login.user_display_name])
  return [slug, name]
}

describe('the members of a response', () => {
  it('are all reserved, so that no member of the application has their names', () => {
    const session = { accessToken: 'a', refreshToken: 'r', expiresInSeconds: 1, sessionExpiresInSeconds: 60 }
    const result = { ...session, tokenType: 'Bearer' as const, sessionId: 's', user, profile: {} }
    const errors = toErrorResponse(new AuthError('jwt_auth_failed'), { realm: 'test', randomByte: () => 0 })
    const bodies = [toAuthenticationResponse(result), toUserResponse(user, {}), errors].map(({ body }) =>
      JSON.parse(body),
    )
    expect(bodies.flatMap(Object.keys).filter((name) => !reservedMemberNames.has(name))).toEqual([])
  })
})

describe('the names of a user in a response', () => {
  it.each([
    [
      'are the names of the user',
      { username: 'ann', nicename: 'ann-roe', displayName: 'Ann Roe' },
      'ann-roe',
      'Ann Roe',
    ],
    ['are the user name when the user has no other', { username: 'ann' }, 'ann', 'ann'],
    [
      'are the address when all names are null',
      { username: null, nicename: null, displayName: null },
      'ann%40example.com',
      'ann@example.com',
    ],
    [
      'are the user name when the others are null',
      { username: 'ann', nicename: null, displayName: null },
      'ann',
      'ann',
    ],
    ['are empty when the user has empty names', { username: 'ann', nicename: '', displayName: '' }, '', ''],
    ['are the email address when the user has no name', {}, 'ann%40example.com', 'ann@example.com'],
    ['are percent-encoded where they are for URLs', { username: 'zoë roe/é' }, 'zo%C3%AB%20roe%2F%C3%A9', 'zoë roe/é'],
    ['are well-formed where they are for URLs', { username: 'a\ud800' }, 'a%EF%BF%BD', 'a\ud800'],
    ['may be one of the two only', { username: 'ann', displayName: 'Ann Roe' }, 'ann', 'Ann Roe'],
  ])('%s', (_, names, nicename, displayName) => {
    expect(namesOf(names)).toEqual([nicename, displayName])
  })
})
