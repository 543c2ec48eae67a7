import type { HashingPriority, TokenServiceOptions } from '@jwt-auth/core'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { createHashingQueue, passwordUsers } from '../src/index.js'

const { password, ...user } = ann

/** A service that records the priority of each password check in the hashing queue. */
const createWatchedService = (options: Partial<TokenServiceOptions> = {}) => {
  const priorities: (HashingPriority | undefined)[] = []
  const { run } = createHashingQueue()
  const users = passwordUsers({
    findByUsername: async (name) => (name === 'ann' ? { ...user, passwordHash: password } : undefined),
    findById: async () => ({ ...user, passwordHash: password }),
    hasher: {
      hash: async () => '',
      verify: async (given, stored) => (given === stored ? 'match' : 'mismatch'),
      needsRehash: () => false,
    },
    queue: {
      run: (work, priority) => {
        priorities.push(priority)
        return run(work, priority)
      },
    },
  })
  const { service } = createTestService({ users, ...options })
  const logIn = (address: string, given = password, signal?: AbortSignal) =>
    outcomeOf(service.authenticate({ username: 'ann', password: given }, { address, signal }))
  return { logIn, priorities }
}

describe('the priority of a login in the hashing queue', () => {
  it('is known after a login of the user from the same network', async () => {
    const { logIn, priorities } = createWatchedService()
    await logIn('192.0.2.1', 'wrong')
    await logIn('192.0.2.1')
    await logIn('192.0.2.1', 'wrong')
    await logIn('192.0.2.2')
    expect(priorities).toEqual([
      { isKnown: false, network: '192.0.2.1' },
      { isKnown: false, network: '192.0.2.1' },
      { isKnown: true, network: '192.0.2.1', user: expect.stringMatching(/^[\w-]{22}$/) },
      { isKnown: false, network: '192.0.2.2' },
    ])
  })

  it('contains the network of the address, also without limits', async () => {
    const { logIn, priorities } = createWatchedService({ rateLimits: false })
    await logIn('2001:db8:1:2:3::4')
    expect(priorities).toEqual([{ isKnown: false, network: '2001:db8:1:2::/64' }])
  })

  it('contains the signal of the connection, which removes an aborted login from the queue', async () => {
    // The limits reject an aborted login before it waits.
    const { logIn, priorities } = createWatchedService({ rateLimits: false })
    const signal = AbortSignal.abort()
    expect(await logIn('192.0.2.1', 'wrong', signal)).toBe('jwt_auth_invalid_request')
    expect(priorities).toEqual([{ isKnown: false, network: '192.0.2.1', signal }])
  })
})
