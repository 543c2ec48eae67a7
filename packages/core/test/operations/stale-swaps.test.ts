import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { SessionStorage } from '../../src/index.js'

/** A service whose storage reports a number of rotations as stale, although no other rotation succeeded. */
const createLosingService = (losses: number) => {
  const storage = memoryStorage({ quiet: true })
  let swaps = 0
  const rotate: SessionStorage['rotate'] = async (rotation) => {
    swaps += 1
    return swaps <= losses ? 'stale' : storage.rotate(rotation)
  }
  return { ...createTestService({ storage: { ...storage, rotate } }), countSwaps: () => swaps }
}

const refreshOnce = async ({ service, login }: ReturnType<typeof createTestService>) =>
  service.refresh((await login()).refreshToken)

describe('a refresh with stale rotations', () => {
  it.each([0, 1, 2, 3])('succeeds after %i of them', async (losses) => {
    const made = createLosingService(losses)
    expect(await outcomeOf(refreshOnce(made))).toBe('ok')
    expect(made.countSwaps()).toBe(losses + 1)
  })

  it('fails with jwt_auth_unavailable after four of them, and does not call storage again', async () => {
    const made = createLosingService(Number.POSITIVE_INFINITY)
    expect(await rejectionOf(refreshOnce(made))).toMatchObject({
      code: 'jwt_auth_unavailable',
      cause: { message: expect.stringContaining('"stale" 4 times') },
    })
    expect(made.countSwaps()).toBe(4)
  })
})
