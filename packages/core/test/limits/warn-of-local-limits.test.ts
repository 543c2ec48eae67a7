import { memoryStorage } from '@jwt-auth/storage-memory'
import { createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { watchWarnings } from '@jwt-auth/test-support/watch-warnings'
import { describe, expect, it } from 'vitest'
import { createTokenService, type TokenServiceOptions } from '../../src/index.js'
import { createMemoryLimiter } from '../../src/limits/limiter.js'

const { isInProcess, ...sharedStorage } = memoryStorage({ quiet: true })
const localStorage = { ...sharedStorage, isInProcess }

const warnings = watchWarnings('JWT_AUTH_LOCAL_LIMITS')

const createServices = (...all: readonly Partial<TokenServiceOptions>[]): void => {
  for (const options of all) {
    createTokenService({
      secret: testSecret,
      issuer: testIssuer,
      users: createTestDirectory(),
      storage: sharedStorage,
      ...options,
    })
  }
}

describe('the warning about limits in memory', () => {
  it('is emitted once when the sessions are stored outside of the process', () => {
    createServices({}, {})
    expect(warnings()).toEqual([
      [
        expect.stringContaining('Set `rateLimits: { limiter: knexLimits(knex) }`'),
        { type: 'JwtAuthWarning', code: 'JWT_AUTH_LOCAL_LIMITS' },
      ],
    ])
  })

  it.each([
    ['the sessions are in memory too', { storage: localStorage }],
    ['the application counts in a store', { rateLimits: { limiter: createMemoryLimiter() } }],
    ['limits are off', { rateLimits: false as const }],
  ])('is not emitted when %s', (_, options) => {
    createServices(options)
    expect(warnings()).toEqual([])
  })
})
