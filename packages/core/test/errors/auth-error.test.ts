import { describe, expect, it } from 'vitest'
import { AuthError, isAuthError, toAuthError } from '../../src/errors/auth-error.js'
import { errorTable } from '../../src/wire/error-response.js'

const isCode = (text: string): text is keyof typeof errorTable => Object.hasOwn(errorTable, text)
const codes = Object.keys(errorTable).filter(isCode)

describe('an AuthError', () => {
  it.each(codes)('of the code %s has a sentence for the client', (code) => {
    const error = new AuthError(code)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'AuthError', code })
    expect(error.message).toMatch(/^[A-Z].{8,}/)
  })

  // Clients of this API family match on these (docs/http-api.md).
  it.each([
    ['jwt_auth_no_auth_header', 'Authorization header not found.'],
    ['jwt_auth_bad_auth_header', 'Authorization header malformed.'],
    ['jwt_auth_failed', 'Invalid credentials.'],
    ['jwt_auth_invalid_refresh_token', 'Invalid refresh token.'],
    ['jwt_auth_token_not_found', 'Token not found'],
    ['jwt_auth_token_already_revoked', 'Token already revoked'],
    ['jwt_auth_revoke_failed', 'Failed to revoke token'],
    ['jwt_auth_rate_limited', 'Rate limit exceeded'],
  ] as const)('of the code %s says "%s" to the letter', (code, message) => {
    expect(new AuthError(code).message).toBe(message)
  })

  it('keeps what it is given', () => {
    const cause = new Error('underneath')
    const error = new AuthError('jwt_auth_invalid_request', {
      message: 'Missing parameter(s): username',
      params: ['username'],
      retryAfterSeconds: 3,
      allowedMethods: ['POST'],
      detail: 'for the log',
      cause,
    })
    expect(error).toMatchObject({
      code: 'jwt_auth_invalid_request',
      message: 'Missing parameter(s): username',
      params: ['username'],
      retryAfterSeconds: 3,
      allowedMethods: ['POST'],
      detail: 'for the log',
      cause,
    })
  })

  it.each([
    [3, 3],
    [2.1, 3],
    [0.2, 1],
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [undefined, undefined],
  ])('says to come back in whole seconds: %s is %s', (seconds, whole) => {
    const error = new AuthError('jwt_auth_rate_limited', seconds === undefined ? {} : { retryAfterSeconds: seconds })
    expect(error.retryAfterSeconds).toBe(whole)
  })

  it('says to come back at no time that is no number', () => {
    const error = new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: JSON.parse('"3"') })
    expect(error.retryAfterSeconds).toBeUndefined()
  })

  it('has one of the known codes', () => {
    expect(() => new AuthError(JSON.parse('"toString"'))).toThrow('jwt-auth: there is no error code "toString".')
  })

  it('has no cause when none is given', () => {
    expect(Object.hasOwn(new AuthError('jwt_auth_failed'), 'cause')).toBe(false)
  })
})

const branded = (members: object): Error =>
  Object.defineProperty(Object.assign(new Error('x'), members), Symbol.for('@jwt-auth/core.AuthError'), { value: true })

describe('whether something is an AuthError', () => {
  it('is told of one from another build of the package too', () => {
    const foreign = branded({ code: 'jwt_auth_failed' })
    expect(isAuthError(new AuthError('jwt_auth_failed'))).toBe(true)
    expect(isAuthError(foreign)).toBe(true)
  })

  it.each([
    new Error('x'),
    Object.assign(new Error('x'), { code: 'jwt_auth_failed', name: 'AuthError' }),
    { code: 'jwt_auth_failed' },
    branded({}),
    branded({ code: 'nonsense' }),
    'jwt_auth_failed',
    null,
    undefined,
  ])('is denied of %s', (value) => {
    expect(isAuthError(value)).toBe(false)
  })
})

describe('whatever was thrown', () => {
  it('stays what it is when it is an AuthError', () => {
    const error = new AuthError('jwt_auth_failed')
    expect(toAuthError(error)).toBe(error)
  })

  it.each([[new Error('boom')], ['boom'], [undefined], [null], [0]])('becomes an internal error: %s', (thrown) => {
    const error = toAuthError(thrown)
    expect(error).toMatchObject({ code: 'jwt_auth_internal_error', message: 'Internal server error.' })
    expect(error.cause).toBe(thrown)
  })
})
