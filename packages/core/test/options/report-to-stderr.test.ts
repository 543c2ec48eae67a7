import { afterEach, describe, expect, it, vi } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import { reportToStderr } from '../../src/options/report-to-stderr.js'

describe('the report of a failure when the host gives no onError', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.each([
    ['the cause', new AuthError('jwt_auth_unavailable', { cause: new Error('connection lost') }), 'connection lost'],
    [
      'the detail before the cause',
      new AuthError('jwt_auth_unavailable', { detail: 'storage failed', cause: new Error('connection lost') }),
      'jwt_auth_unavailable: storage failed: Error: connection lost',
    ],
    ['a cause that is no error', new AuthError('jwt_auth_unavailable', { cause: 'down' }), 'down'],
    ['the error itself where there is no cause', new AuthError('jwt_auth_internal_error'), 'Internal server error.'],
  ])('is written to stderr with the code and %s', (_, error, text) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    reportToStderr(error)
    const written = write.mock.calls.map(([chunk]) => String(chunk)).join('')
    expect(written).toContain(`[jwt-auth] ${error.code}: `)
    expect(written).toContain(text)
    expect(written.endsWith('\n')).toBe(true)
  })
})
