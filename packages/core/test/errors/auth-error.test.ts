import { describe, expect, it } from 'vitest'
import { AuthError, isAuthError, toAuthError } from '../../src/errors/auth-error.js'
import { errorTable } from '../../src/errors/error-table.js'

const isCode = (text: string): text is keyof typeof errorTable => Object.hasOwn(errorTable, text)
const codes = Object.keys(errorTable).filter(isCode)

it('an error has only valid scopes, so that no scope adds a header or a parameter', () => {
  const scopes = ['read', 'a"b', 'c d', 'e\r\nSet-Cookie: f', '', 'write']
  const error = new AuthError('jwt_auth_forbidden', { scopes })
  expect(error.scopes).toEqual(['read', 'write'])
  expect(error.headers).toEqual({
    'WWW-Authenticate': 'Bearer realm="jwt-auth", error="insufficient_scope", scope="read write"',
  })
})

describe('an AuthError', () => {
  it.each(codes)('has a sentence for the client with the code %s', (code) => {
    const error = new AuthError(code)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'AuthError', code })
    expect(error.message).toMatch(/^[A-Z].{8,}/)
  })

  // Existing clients of this API compare these sentences (docs/http-api.md).
  it.each([
    ['jwt_auth_no_auth_header', 'Authorization header not found.'],
    ['jwt_auth_bad_auth_header', 'Authorization header malformed.'],
    ['jwt_auth_failed', 'Invalid credentials.'],
    ['jwt_auth_invalid_refresh_token', 'Invalid refresh token.'],
    ['jwt_auth_token_not_found', 'Token not found'],
    ['jwt_auth_token_already_revoked', 'Token already revoked'],
    ['jwt_auth_revoke_failed', 'Failed to revoke token'],
    ['jwt_auth_rate_limited', 'Rate limit exceeded'],
  ] as const)('has, with the code %s, the exact message "%s"', (code, message) => {
    expect(new AuthError(code).message).toBe(message)
  })

  it('has the details that it was created with', () => {
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
  ])('rounds up a retryAfterSeconds that is %s, to %s', (seconds, whole) => {
    const error = new AuthError('jwt_auth_rate_limited', seconds === undefined ? {} : { retryAfterSeconds: seconds })
    expect(error.retryAfterSeconds).toBe(whole)
  })

  it('ignores a retryAfterSeconds that is not a number', () => {
    const error = new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: JSON.parse('"3"') })
    expect(error.retryAfterSeconds).toBeUndefined()
  })

  it('throws a TypeError for an unknown code', () => {
    expect(() => new AuthError(JSON.parse('"toString"'))).toThrow('jwt-auth: unknown error code "toString".')
  })

  it.each(codes)('has the status of its code and shows its message to clients below 500, with the code %s', (code) => {
    const { status } = errorTable[code]
    expect(new AuthError(code)).toMatchObject({ status, statusCode: status, expose: status < 500 })
  })

  it('has the headers that its code, its time and its methods require', () => {
    const details = { retryAfterSeconds: 2.1, allowedMethods: ['GET', 'HEAD'] }
    expect(new AuthError('jwt_auth_forbidden', details).headers).toEqual({
      'WWW-Authenticate': 'Bearer realm="jwt-auth", error="insufficient_scope"',
      'Retry-After': '3',
      Allow: 'GET, HEAD',
    })
    expect(new AuthError('jwt_auth_failed').headers).toEqual({})
  })

  it('has no cause when it was created without one', () => {
    expect(Object.hasOwn(new AuthError('jwt_auth_failed'), 'cause')).toBe(false)
  })
})

const branded = (members: object): Error =>
  Object.defineProperty(Object.assign(new Error('x'), members), Symbol.for('@jwt-auth/core.AuthError'), { value: true })

describe('isAuthError', () => {
  it('returns true for an AuthError of another build of the package', () => {
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
  ])('returns false for %s (%#)', (value) => {
    expect(isAuthError(value)).toBe(false)
  })
})

describe('toAuthError', () => {
  it('returns an AuthError as it is', () => {
    const error = new AuthError('jwt_auth_failed')
    expect(toAuthError(error)).toBe(error)
  })

  it.each([[new Error('boom')], ['boom'], [undefined], [null], [0]])(
    'wraps a value in an internal error when it is %s',
    (thrown) => {
      const error = toAuthError(thrown)
      expect(error).toMatchObject({ code: 'jwt_auth_internal_error', message: 'Internal server error.' })
      expect(error.cause).toBe(thrown)
    },
  )
})
