import type { ServerResponse } from 'node:http'
import { AuthError } from '@jwt-auth/core'
import { describe, expect, it } from 'vitest'
import { createFailures, reportOnce } from '../src/failures.js'

describe('a failure that is forwarded to the application', () => {
  it.each([
    ['jwt_auth_invalid_token', 0],
    ['jwt_auth_unavailable', 1],
  ] as const)('is reported only if the client did not cause it, and only once: %s', (code, count) => {
    const reports: unknown[] = []
    const forwarded: unknown[] = []
    const { failBy } = createFailures((error) => reports.push(error), { realm: 'test', randomByte: () => 0 })
    const error = new AuthError(code)
    // The response is not used when there is a `next`.
    const res = Object.create(null) as ServerResponse
    for (let time = 0; time < 2; time += 1) failBy('forward')(error, res, (thrown) => forwarded.push(thrown))
    expect({ reports, forwarded }).toEqual({ reports: Array(count).fill(error), forwarded: [error, error] })
  })
})

describe('an error', () => {
  it('is reported once', () => {
    const reports: unknown[] = []
    const error = new AuthError('jwt_auth_internal_error')
    for (let time = 0; time < 2; time += 1) reportOnce(error, (reported) => reports.push(reported))
    expect(reports).toEqual([error])
  })
})
