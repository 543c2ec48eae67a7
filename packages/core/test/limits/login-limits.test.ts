import { setImmediate as nextTurn } from 'node:timers/promises'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError, type HashingRefusal } from '../../src/errors/auth-error.js'
import { createMemoryLimiter } from '../../src/limits/limiter.js'
import { defaultLimits } from '../../src/limits/rate-limits.js'
import type { Limiter } from '../../src/ports/limiter.js'
import { addressOf, createAttackedService, wrong } from '../support/login-attempts.js'

const refuseFor = (reason: HashingRefusal['reason']): AuthError =>
  new AuthError('jwt_auth_unavailable', { refusal: { reason, isKnown: false }, retryAfterSeconds: 1 })

const threeHours = 10_800
const day = 86_400

describe('the default limits', () => {
  it('do not let one network use up the attempts at an account in a day', () => {
    const { accountAndNetwork, account } = defaultLimits
    const fromOneNetwork = accountAndNetwork.points * (account.durationSeconds / accountAndNetwork.durationSeconds)
    expect(fromOneNetwork).toBeLessThan(account.points)
  })
})

describe('failed logins to one account from one network', () => {
  it('are ten in three hours: then right and wrong passwords are refused without a check', async () => {
    const { attempt, failFrom, hashes } = createAttackedService()
    expect(await failFrom(addressOf(1), 10)).toEqual(new Array(10).fill('wrong'))
    const refused = { throttled: threeHours }
    expect(await attempt({ from: addressOf(1), password: wrong })).toEqual(refused)
    expect(await attempt({ from: addressOf(1) })).toEqual(refused)
    expect(hashes()).toBe(10)
  })

  it('are allowed again exactly when three hours have passed', async () => {
    const { attempt, failFrom, system } = createAttackedService()
    await failFrom(addressOf(1), 10)
    system.advance(threeHours * 1_000 - 1)
    expect(await attempt({ from: addressOf(1) })).toEqual({ throttled: 1 })
    system.advance(1)
    expect(await attempt({ from: addressOf(1) })).toBe('in')
  })

  it('are ten checks when 64 attempts are made concurrently', async () => {
    const { attempt, guesses } = createAttackedService()
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, () => attempt({ from: addressOf(1), password: wrong })),
    )
    expect(guesses()).toBe(10)
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(10)
  })

  it('count for every spelling of the name that a database may take for the same', async () => {
    const { failFrom, hashes } = createAttackedService()
    for (const name of ['ann', 'ANN', 'ann ', 'ánn', 'ａｎｎ']) await failFrom(addressOf(1), 3, name)
    expect(hashes()).toBe(10)
  })

  it('count for every address of a /64, and for an IPv4 address written as IPv6', async () => {
    const { attempt, failFrom } = createAttackedService()
    for (let host = 1; host <= 10; host += 1) await failFrom(`2001:db8::${host}`, 1)
    expect(await attempt({ from: '2001:db8::ffff' })).toEqual({ throttled: threeHours })
    await failFrom('192.0.2.1', 10)
    expect(await attempt({ from: '::ffff:192.0.2.1' })).toEqual({ throttled: threeHours })
  })

  it('are refused equally for names that exist and names that do not', async () => {
    const { failFrom, hashes } = createAttackedService()
    const known = await failFrom(addressOf(1), 12, 'ann')
    expect(await failFrom(addressOf(2), 12, 'nobody')).toEqual(known)
    expect(hashes()).toBe(20)
  })

  it('from unreadable addresses are counted together', async () => {
    const { attempt, failFrom } = createAttackedService()
    await failFrom(undefined, 5)
    await failFrom('unreadable', 5)
    expect(await attempt({ from: '' })).toEqual({ throttled: threeHours })
  })
})

describe('a login that succeeds', () => {
  it('does not use up failed attempts', async () => {
    const { attempt } = createAttackedService({ rateLimits: { accountAndNetwork: { points: 1, durationSeconds: 60 } } })
    for (let count = 0; count < 50; count += 1) expect(await attempt({ from: addressOf(1) })).toBe('in')
  })

  it('gives back its own attempt and no failed one', async () => {
    const limit = { points: 5, durationSeconds: 60 }
    const { attempt, failFrom } = createAttackedService({ rateLimits: { network: limit } })
    for (let count = 0; count < 5; count += 1) {
      await failFrom(addressOf(1), 1, 'bob')
      await attempt({ from: addressOf(1) })
    }
    expect(await failFrom(addressOf(1), 1, 'bob')).toEqual([{ throttled: 60 }])
  })
})

describe('a login that ends in another window than it started in', () => {
  it('gives nothing back to that window, regardless of the attempts that were counted there meanwhile', async () => {
    const limit = { points: 3, durationSeconds: 60 }
    const test = createAttackedService()
    const held: (() => void)[] = []
    let holds = true
    const attacked = createAttackedService({
      system: test.system,
      rateLimits: { network: limit },
      users: {
        ...test.users,
        verifyPassword: async (username, password) => {
          if (holds) await new Promise<void>((resolve) => held.push(resolve))
          return test.users.verifyPassword(username, password)
        },
      },
    })
    const slow = [1, 2].map(() => attacked.attempt({ from: addressOf(1) }))
    while (held.length < 2) await nextTurn()
    holds = false
    test.system.advance(60_000)
    expect(await attacked.failFrom(addressOf(1), 2, 'bob')).toEqual(['wrong', 'wrong'])
    for (const release of held) release()
    expect(await Promise.all(slow)).toEqual(['in', 'in'])
    expect(await attacked.failFrom(addressOf(1), 2, 'bob')).toEqual(['wrong', { throttled: 60 }])
  })
})

describe('a network from which a user has logged in', () => {
  it.each([
    ['ann', 'ánn'],
    ['ann', 'anń'],
    ['jess', 'jes'],
  ])('is not a known network of %s because %s logged in there', async (victim, lookAlike) => {
    const own = { id: 77, email: 'x@example.com', nicename: lookAlike, displayName: 'X' }
    const { users } = createTestService()
    const { attempt, failFrom } = createAttackedService({
      rateLimits: { account: { points: 3, durationSeconds: 60 } },
      users: {
        ...users,
        findByUsername: async (username) => (username === lookAlike ? own : users.findByUsername(username)),
        findById: async (id) => (id === own.id ? own : users.findById(id)),
        verifyPassword: async (user) => user === own,
      },
    })
    expect(await attempt({ from: addressOf(1), username: lookAlike })).toBe('in')
    await failFrom(addressOf(2), 3, victim)
    expect(await failFrom(addressOf(1), 1, victim)).toEqual([{ throttled: 60 }])
  })
})

describe('an attempt whose check failed', () => {
  it.each([
    ['the user directory is down', () => Promise.reject(new Error('ldap is down'))],
    ['the hashing queue is full', () => Promise.reject(new AuthError('jwt_auth_unavailable'))],
    ['the directory has its own limits', () => Promise.reject(new AuthError('jwt_auth_rate_limited'))],
  ])('does not count: %s', async (_, verifyPassword) => {
    const { users } = createAttackedService()
    let isDown = true
    const { service } = createAttackedService({
      users: {
        ...users,
        verifyPassword: (username, password) => (isDown ? verifyPassword() : users.verifyPassword(username, password)),
      },
    })
    const logIn = () => service.login({ username: ann.nicename, password: ann.password }, { address: addressOf(1) })
    for (let count = 0; count < 120; count += 1) expect(await outcomeOf(logIn())).not.toBe('ok')
    isDown = false
    expect(await outcomeOf(logIn())).toBe('ok')
  })
})

describe('an attempt that the hashing queue refused', () => {
  const left = new AuthError('jwt_auth_invalid_request')

  it.each<[string, AuthError, 'wrong' | { throttled: number }]>([
    ['its network has its share of the queue', refuseFor('network'), { throttled: 60 }],
    ['its client disconnected while it waited', left, { throttled: 60 }],
    ['the queue is full', refuseFor('queue'), 'wrong'],
    ['the wait timed out', refuseFor('timeout'), 'wrong'],
  ])('counts for the network only if that network caused it: %s', async (_, refusal, outcome) => {
    const directory = createTestDirectory()
    let refuse: (() => void) | undefined
    const { service, failFrom } = createAttackedService({
      users: {
        ...directory,
        verifyPassword: async (user, password) => {
          if (refuse === undefined) return directory.verifyPassword(user, password)
          refuse()
          throw refusal
        },
      },
      rateLimits: {
        network: { points: 3, durationSeconds: 60 },
        accountAndNetwork: { points: 1, durationSeconds: 600 },
      },
    })
    // The points of the account are given back: one attempt would use them up.
    for (let count = 0; count < 3; count += 1) {
      const client = new AbortController()
      refuse = () => refusal === left && client.abort()
      const login = { username: 'ann', password: wrong }
      const origin = { address: addressOf(1), signal: client.signal }
      expect(await outcomeOf(service.login(login, origin))).toBe(refusal.code)
    }
    refuse = undefined
    expect(await failFrom(addressOf(1), 1, 'bob')).toEqual([outcome])
    expect(await failFrom(addressOf(2), 1)).toEqual(['wrong'])
  })
})

describe('failed logins to one account from unknown networks together', () => {
  const attackFrom = async (
    networks: number,
    { failFrom }: Pick<ReturnType<typeof createAttackedService>, 'failFrom'>,
  ) => {
    for (let network = 1; network <= networks; network += 1) await failFrom(addressOf(network), 10)
  }

  it('are a hundred in a day, from however many networks', async () => {
    const test = createAttackedService()
    await attackFrom(50, test)
    expect(test.hashes()).toBe(100)
    expect(await test.attempt({ from: addressOf(999) })).toEqual({ throttled: day })
  })

  it('never refuse a network from which the user has logged in, until ten attempts have failed there', async () => {
    const test = createAttackedService()
    await test.attempt({ from: '192.0.2.1' })
    await attackFrom(50, test)
    expect(await test.attempt({ from: '192.0.2.1' })).toBe('in')
    await test.failFrom('192.0.2.1', 9)
    expect(await test.attempt({ from: '192.0.2.1' })).toBe('in')
    await test.failFrom('192.0.2.1', 1)
    expect(await test.attempt({ from: '192.0.2.1' })).toEqual({ throttled: day })
  })

  it('are at most fifty in a day from one /48', async () => {
    const { failFrom, attempt, guesses } = createAttackedService()
    for (let network = 0; network < 30; network += 1) await failFrom(`2001:db8:7:${network.toString(16)}::1`, 10)
    expect(guesses()).toBe(50)
    expect(await attempt({ from: '2001:db8:7:ffff::1' })).toEqual({ throttled: day })
    expect(await attempt({ from: '2001:db8:8::1' })).toBe('in')
  })

  it('are not used up by one network alone', async () => {
    const { failFrom, attempt, system } = createAttackedService()
    for (let hour = 0; hour < 24; hour += 1) {
      await failFrom(addressOf(1), 20)
      system.advance(3_600_000)
    }
    expect(await attempt({ from: addressOf(2) })).toBe('in')
  })

  it('do not refuse a known network for ninety days after its last login', async () => {
    const { attempt, failFrom, system } = createAttackedService()
    const exhaust = async () => {
      for (let network = 1; network <= 12; network += 1) await failFrom(addressOf(network), 10)
    }
    await attempt({ from: '192.0.2.1' })
    system.advance(89 * day * 1_000)
    await exhaust()
    expect(await attempt({ from: '192.0.2.1' })).toBe('in')
    system.advance(90 * day * 1_000)
    await exhaust()
    expect(await attempt({ from: '192.0.2.1' })).toEqual({ throttled: day })
  })

  it('are not used up by attempts that another limit refused', async () => {
    const { failFrom, attempt } = createAttackedService()
    await failFrom(addressOf(1), 500)
    for (let network = 2; network <= 9; network += 1) await failFrom(addressOf(network), 10)
    expect(await attempt({ from: addressOf(99), password: wrong })).toBe('wrong')
  })
})

describe('failed logins from one network to all accounts together', () => {
  it('are a hundred in an hour', async () => {
    const { failFrom, attempt, hashes } = createAttackedService()
    for (let name = 0; name < 101; name += 1) await failFrom(addressOf(1), 1, `name-${name}`)
    expect(hashes()).toBe(100)
    expect(await attempt({ from: addressOf(1) })).toEqual({ throttled: 3_600 })
  })

  it('never refuse a user who logged in from there before', async () => {
    const { failFrom, attempt } = createAttackedService()
    await attempt({ from: addressOf(1) })
    for (let name = 0; name < 101; name += 1) await failFrom(addressOf(1), 1, `name-${name}`)
    expect(await attempt({ from: addressOf(1) })).toBe('in')
    expect(await attempt({ from: addressOf(1), username: 'bob', password: 'battery staple' })).toMatchObject({
      throttled: 3_600,
    })
  })
})

describe('failed logins from networks of one customer to all accounts together', () => {
  it.each([
    [300, '/56', (network: number) => `2001:db8:0:${(network % 256).toString(16)}::1`],
    [1_000, '/48', (network: number) => `2001:db8:0:${(network * 256).toString(16)}::1`],
  ])('are %i in an hour for a %s', async (most, _, toAddress) => {
    const { failFrom, hashes, refusals } = createAttackedService()
    for (let name = 0; name < most; name += 1) await failFrom(toAddress(name % 200), 1, `name-${name}`)
    expect(refusals()).toEqual([])
    expect(await failFrom(toAddress(201), 1, 'another')).toEqual([{ throttled: 3_600 }])
    expect(hashes()).toBe(most)
  })
})

describe('failed logins to users who have logged in from one network', () => {
  const names = Array.from({ length: 40 }, (_, number) => `user-${number}`)

  /** A service with many users, all of whom have logged in from one network. */
  const createOffice = async () => {
    const accounts = names.map((nicename, id) => ({ ...ann, id, nicename }))
    const office = createAttackedService({ users: createTestDirectory(accounts) })
    for (const username of names) await office.attempt({ from: addressOf(1), username })
    return { ...office, countGuesses: () => office.guesses() - names.length }
  }

  it('are three hundred in an hour: then no password is checked', async () => {
    const { failFrom, attempt, countGuesses } = await createOffice()
    for (const username of names) await failFrom(addressOf(1), 10, username)
    expect(countGuesses()).toBe(300)
    expect(await attempt({ from: addressOf(1), username: 'user-39' })).toEqual({ throttled: 3_600 })
  })

  it('do not refuse these users on other networks from which they have logged in', async () => {
    const { failFrom, attempt } = await createOffice()
    await attempt({ from: addressOf(2), username: 'user-39' })
    for (const username of names) await failFrom(addressOf(1), 10, username)
    expect(await attempt({ from: addressOf(2), username: 'user-39' })).toBe('in')
  })
})

describe('the event of a limit', () => {
  it('is announced once for its window, with the network and without the name', async () => {
    const { failFrom, refusals } = createAttackedService()
    await failFrom('2001:db8::1', 50, 'ann')
    expect(refusals()).toEqual([
      { type: 'rate_limited', limit: 'accountAndNetwork', network: '2001:db8:0:0::/64', at: new Date(startOfTests) },
    ])
  })

  it('contains the name of the limit', async () => {
    const { failFrom, refusals } = createAttackedService()
    for (let name = 0; name < 102; name += 1) await failFrom(addressOf(1), 1, `name-${name}`)
    for (let network = 2; network < 14; network += 1) await failFrom(addressOf(network), 10)
    expect(refusals().map((event) => event.type === 'rate_limited' && [event.limit, event.network])).toEqual([
      ['network', '10.0.0.1'],
      ['account', '10.0.0.12'],
    ])
  })
})

describe('right passwords', () => {
  it('use nothing up when more of them arrive concurrently than may fail', async () => {
    const { attempt } = createAttackedService()
    const from = addressOf(1)
    expect(await attempt({ from })).toBe('in')
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 30 }, () => attempt({ from })))
      expect(outcomes).toContain('in')
      expect(await attempt({ from })).toBe('in')
    }
  })
})

describe('the limits', () => {
  it('are off with rateLimits: false', async () => {
    const { failFrom, hashes } = createAttackedService({ rateLimits: false })
    await failFrom(addressOf(1), 300)
    expect(hashes()).toBe(300)
  })

  it('set no mark for attempts that fail, and use one of 2^20 keys for each count', async () => {
    const memory = createMemoryLimiter()
    const keys = new Set<string>()
    const marks: unknown[] = []
    const limiter: Limiter = {
      reserve: (counts, options) => {
        for (const { key } of counts) keys.add(key)
        return memory.reserve(counts, options)
      },
      refund: (windows, options) => {
        marks.push(options.mark)
        return memory.refund(windows, options)
      },
    }
    const { failFrom, hashes } = createAttackedService({ rateLimits: { limiter } })
    for (let number = 0; number < 300; number += 1)
      await failFrom(`2001:db8:${number.toString(16)}::1`, 1, `name-${number}`)
    expect(hashes()).toBe(300)
    expect(marks).toEqual([])
    const parts = [...keys].map((key) => key.split(':'))
    expect([...new Set(parts.map(([name]) => name))].toSorted()).toEqual([
      'jwt_auth_login_48',
      'jwt_auth_login_56',
      'jwt_auth_login_account',
      'jwt_auth_login_known_network',
      'jwt_auth_login_known_pair',
      'jwt_auth_login_network',
      'jwt_auth_login_pair',
      'jwt_auth_login_pair_48',
    ])
    expect(Math.max(...parts.map(([, key = '']) => Number.parseInt(key, 36)))).toBeLessThan(2 ** 20)
  })
})
