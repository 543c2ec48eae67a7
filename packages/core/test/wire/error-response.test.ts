import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import { toErrorResponse } from '../../src/wire/response.js'

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
