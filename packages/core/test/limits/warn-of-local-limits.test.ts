import { memoryStorage } from '@jwt-auth/storage-memory'
import { createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TokenServiceOptions } from '../../src/index.js'
import { createMemoryLimiter } from '../../src/limits/limiter.js'

const { isInProcess, ...sharedStorage } = memoryStorage({ quiet: true })
const localStorage = { ...sharedStorage, isInProcess }

const warnings: unknown[] = []

beforeEach(() => {
  warnings.length = 0
  vi.spyOn(process, 'emitWarning').mockImplementation((...warning) => void warnings.push(warning))
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Creates services in a fresh module, because a process warns once. */
const createServices = async (...all: readonly Partial<TokenServiceOptions>[]): Promise<void> => {
  vi.resetModules()
  const { createTokenService } = await import('../../src/token-service.js')
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
  it('is emitted once when the sessions are stored outside of the process', async () => {
    await createServices({}, {})
    expect(warnings).toEqual([
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
  ])('is not emitted when %s', async (_, options) => {
    await createServices(options).catch(() => {})
    expect(warnings).toEqual([])
  })
})
