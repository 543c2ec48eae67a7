import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TokenServiceOptions, UserId } from '../../src/index.js'
import type { HashingPriority } from '../../src/internal.js'
import { createMemoryLimiter } from '../../src/limits/limiter.js'
import { addressOf, createAttackedService, wrong } from '../support/login-attempts.js'

const day = 86_400

/** A service whose table holds two users whose names differ in case only, found by the exact spelling. */
const createServiceWithTwins = (ids: readonly [UserId, UserId] = [1, 2]) => {
  const twins = [
    { ...ann, id: ids[0], nicename: 'ann' },
    { ...ann, id: ids[1], nicename: 'ANN', password: 'of another' },
  ]
  return createAttackedService({ users: createTestDirectory(twins) })
}

describe('a network that is known to one user', () => {
  it.each([
    ['two numbers', [1, 2]],
    ['a number and the same number as text', [1, '1']],
  ] as const)('is not known to a user whose name differs only in case, with ids that are %s', async (_, ids) => {
    const { attempt, failFrom, guesses } = createServiceWithTwins(ids)
    for (let network = 1; network <= 60; network += 1) {
      expect(await attempt({ from: addressOf(network), username: 'ANN', password: 'of another' })).toBe('in')
    }
    const logins = guesses()
    for (let network = 1; network <= 60; network += 1) await failFrom(addressOf(network), 10, 'ann')
    expect(guesses() - logins).toBe(100)
    expect(await attempt({ from: addressOf(60), username: 'ann' })).toEqual({ throttled: day })
  })

  it('is not known to the user with the same id of another issuer with the same store and secret', async () => {
    const rateLimits = { limiter: createMemoryLimiter(), account: { points: 1, durationSeconds: day } }
    const shop = createAttackedService({ rateLimits, issuer: 'https://shop.example' })
    const staff = createAttackedService({ rateLimits, issuer: 'https://staff.example' })
    expect(await shop.attempt({ from: addressOf(1) })).toBe('in')
    await staff.failFrom(addressOf(2), 1)
    expect(await staff.attempt({ from: addressOf(1) })).toEqual({ throttled: day })
  })

  it.each([
    ['the same user with another password', { ...ann, credentialVersion: 'later' }],
    ['another user with the same id', { ...ann, nicename: 'bob', credentialVersion: 'of bob' }],
  ])('is not known to %s', async (_, later) => {
    let user: typeof ann | typeof later = ann
    const directory = createTestDirectory()
    const { attempt, failFrom, guesses } = createAttackedService({
      users: {
        findByUsername: async () => user,
        findById: async () => user,
        verifyPassword: (_user, password, options) => directory.verifyPassword(ann, password, options),
      },
    })
    for (let network = 1; network <= 20; network += 1) expect(await attempt({ from: addressOf(network) })).toBe('in')
    user = later
    const logins = guesses()
    for (let network = 1; network <= 20; network += 1) await failFrom(addressOf(network), 10)
    expect(guesses() - logins).toBe(100)
  })

  it('is known to the user under all their names', async () => {
    const directory = createTestDirectory()
    const { attempt, failFrom } = createAttackedService({
      users: {
        ...directory,
        findByUsername: (name) => directory.findByUsername(name === 'ann@example.com' ? 'ann' : name),
      },
    })
    expect(await attempt({ from: '192.0.2.1', username: 'ann' })).toBe('in')
    for (let network = 1; network <= 10; network += 1) await failFrom(addressOf(network), 10, 'ann@example.com')
    expect(await attempt({ from: addressOf(99), username: 'ann@example.com' })).toEqual({ throttled: day })
    expect(await attempt({ from: '192.0.2.1', username: 'ann@example.com' })).toBe('in')
  })
})

/** Returns what an attacker sees of attempts with wrong passwords. */
const watch = async (
  isKnown: boolean,
  play: (test: ReturnType<typeof createAttackedService>) => Promise<unknown>,
  options: Partial<TokenServiceOptions> = {},
) => {
  const test = createAttackedService(options)
  if (isKnown) await test.attempt({ from: addressOf(1) })
  return play(test)
}

describe('a wrong password of a known pair', () => {
  it.each<[string, (test: ReturnType<typeof createAttackedService>) => Promise<unknown>]>([
    ['sequential attempts', ({ failFrom }) => failFrom(addressOf(1), 25)],
    [
      'concurrent attempts',
      ({ attempt }) => Promise.all(Array.from({ length: 25 }, () => attempt({ from: addressOf(1), password: wrong }))),
    ],
    [
      'attempts while the limit of the network is used up',
      async ({ failFrom, system }) => {
        for (let name = 0; name < 100; name += 1) await failFrom(addressOf(1), 1, `name-${name}`)
        const refused = await failFrom(addressOf(1), 25)
        system.advance(3_600_000)
        return [refused, await failFrom(addressOf(1), 25)]
      },
    ],
    [
      'attempts while the limit of the account is used up',
      async ({ failFrom, system }) => {
        for (let network = 2; network <= 11; network += 1) await failFrom(addressOf(network), 10)
        const refused = await failFrom(addressOf(1), 25)
        system.advance(day * 1_000)
        return [refused, await failFrom(addressOf(1), 25)]
      },
    ],
    [
      'attempts before others use up the limit of the network',
      async ({ failFrom }) => {
        const outcomes = [await failFrom(addressOf(1), 5)]
        for (let name = 0; name < 100; name += 1) outcomes.push(await failFrom(addressOf(1), 1, `name-${name}`))
        return outcomes
      },
    ],
  ])('gets the same responses as at an unknown pair: %s', async (_, play) => {
    expect(await watch(true, play)).toEqual(await watch(false, play))
  })

  it('gets the same responses as at an unknown pair in any order of attempts', async () => {
    const step = fc.record({
      network: fc.integer({ min: 1, max: 3 }),
      username: fc.constantFrom('ann', 'bob', 'nobody'),
      times: fc.integer({ min: 1, max: 8 }),
      minutes: fc.constantFrom(0, 0, 0, 20, 70),
    })
    const rateLimits = {
      accountAndNetwork: { points: 4, durationSeconds: 7_200 },
      account: { points: 9, durationSeconds: 20_000 },
      network: { points: 6, durationSeconds: 3_600 },
    }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const play = async (test: ReturnType<typeof createAttackedService>) => {
          const outcomes = []
          for (const { network, username, times, minutes } of steps) {
            outcomes.push(await test.failFrom(addressOf(network), times, username))
            test.system.advance(minutes * 60_000)
          }
          return outcomes
        }
        expect(await watch(true, play, { rateLimits })).toEqual(await watch(false, play, { rateLimits }))
      }),
      { numRuns: 60 },
    )
  })
})

describe('the priority of a password check in the hashing queue', () => {
  const watchPriorities = (options: Partial<TokenServiceOptions> = {}) => {
    const priorities: (HashingPriority | undefined)[] = []
    const directory = createTestDirectory()
    const test = createAttackedService({
      ...options,
      users: {
        ...directory,
        verifyPassword: (user, password, checkOptions) => {
          priorities.push(checkOptions?.priority)
          return directory.verifyPassword(user, password)
        },
      },
    })
    return { ...test, priorities }
  }

  it('contains the network, whether it is known, a key of the known user, and the signal', async () => {
    const { service, priorities } = watchPriorities()
    const origin = { address: '2001:db8::1', signal: new AbortController().signal }
    const priority = { network: '2001:db8:0:0::/64', signal: origin.signal }
    const user = expect.stringMatching(/^[\w-]{22}$/)
    await service.login({ username: 'ann', password: ann.password }, origin)
    await service.login({ username: 'ann', password: ann.password }, origin)
    await outcomeOf(service.requirePassword(1, 'wrong', origin))
    expect(priorities).toEqual([
      { ...priority, isKnown: false },
      { ...priority, isKnown: true, user },
      { ...priority, isKnown: true, user },
    ])
  })

  it('contains the same key of a user on each network, and another key for another user', async () => {
    const { attempt, priorities } = watchPriorities()
    const bob = { username: 'bob', password: 'battery staple' }
    for (const login of [{}, bob]) {
      for (const from of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2']) await attempt({ from, ...login })
    }
    const keys = priorities.flatMap((priority) => (priority?.isKnown === true ? [priority.user] : []))
    expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2]])
    expect(new Set(keys).size).toBe(2)
  })

  it('is that of an unknown network when a known pair has failed too often', async () => {
    const { attempt, failFrom, priorities } = watchPriorities({
      rateLimits: { network: { points: 1, durationSeconds: 60 } },
    })
    await attempt({ from: '192.0.2.1' })
    // A known network has three times the limit of a network.
    await failFrom('192.0.2.1', 4)
    expect(priorities).toMatchObject([{ isKnown: false }, { isKnown: true }, { isKnown: true }, { isKnown: true }])
  })

  it('is that of an unknown network without limits', async () => {
    const { attempt, priorities } = watchPriorities({ rateLimits: false })
    await attempt({ from: '192.0.2.1' })
    await attempt({ from: '192.0.2.1' })
    expect(priorities).toEqual(Array(2).fill({ isKnown: false, network: '192.0.2.1', signal: undefined }))
  })
})
