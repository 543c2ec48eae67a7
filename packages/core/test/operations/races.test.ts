import { setImmediate } from 'node:timers/promises'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { findRecord } from '@jwt-auth/test-support/find-records'
import { countOutcomes, outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { ann, createTestDirectory, type TestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService, testIssuer } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { SessionStorage, TokenServiceOptions } from '../../src/index.js'

const crowd = Array.from({ length: 21 }, (_, at) => at)

const createHeldService = (
  options: Partial<TokenServiceOptions> = {},
  held: SessionStorage = memoryStorage({ quiet: true }),
) => {
  // Lookups are batched, as for a storage in another process.
  const gate = createCallGate<SessionStorage>({ ...held, batchLookups: true })
  const made = createTestService({ ...options, storage: gate.port })
  /** Another instance of the service. The refreshes of a session wait for each other within one instance. */
  const addInstance = () =>
    createTestService({ ...options, users: made.users, system: made.system, storage: gate.port })
  return { gate, ...made, addInstance }
}

describe('refreshes of one token by 21 instances', () => {
  it('that all read before the first rotation return the same refresh token, from one rotation', async () => {
    const { gate, service, login, storage, addInstance } = createHeldService()
    const { refreshToken, sessionId } = await login()
    gate.hold('findBySelectorHash', 'rotate')
    const refreshes = crowd.map(() => addInstance().service.refresh(refreshToken))
    await gate.held('findBySelectorHash', 21)
    gate.open('findBySelectorHash')
    await gate.held('rotate', 21)
    gate.open('rotate')

    const results = await Promise.all(refreshes)

    expect(new Set(results.map((result) => result.refreshToken)).size).toBe(1)
    expect(results[0]?.refreshToken).not.toBe(refreshToken)
    expect((await findRecord(storage, sessionId))?.recentVerifiers).toHaveLength(1)
    expect(new Set(results.map((result) => result.accessToken)).size).toBe(21)
    expect(await countOutcomes(results.map((result) => service.authorize(result.accessToken)))).toEqual({ ok: 21 })
    expect(await outcomeOf(service.refresh(results[20]?.refreshToken ?? ''))).toBe('ok')
  })

  it('with a grace window of 0 succeed exactly once, and the session ends', async () => {
    const { gate, login, storage, addInstance } = createHeldService({ refreshGraceSeconds: 0 })
    const { refreshToken, sessionId } = await login()
    gate.hold('rotate')
    const instances = crowd.map(addInstance)
    const refreshes = instances.map(({ service }) => service.refresh(refreshToken))
    await gate.held('rotate', 21)
    gate.open('rotate')
    expect(await countOutcomes(refreshes)).toEqual({ ok: 1, jwt_auth_invalid_refresh_token: 20 })
    expect(await findRecord(storage, sessionId)).toMatchObject({ endReason: 'refresh_token_replayed' })
    const events = instances.flatMap((instance) => instance.events)
    expect(events.map(({ type }) => type)).toEqual(['session_ended', 'refresh_token_replayed'])
  })
})

describe('a refresh whose rotation', () => {
  it('was committed without a response succeeds at the first retry that confirms the rotation', async () => {
    const { gate, service, login, storage } = createHeldService()
    const { refreshToken, sessionId } = await login()
    gate.hold('rotate')
    const lost = outcomeOf(service.refresh(refreshToken))
    const [call] = await gate.held('rotate')
    await call?.perform()
    call?.reject(new Error('response lost'))
    expect(await lost).toBe('jwt_auth_unavailable')
    const unconfirmed = outcomeOf(service.refresh(refreshToken))
    const [confirmation] = await gate.held('rotate')
    confirmation?.reject(new Error('no standby has the rotation'))
    expect(await unconfirmed).toBe('jwt_auth_unavailable')
    gate.open('rotate')

    const retried = await service.refresh(refreshToken)
    expect(await outcomeOf(service.authorize(retried.accessToken))).toBe('ok')
    expect((await findRecord(storage, sessionId))?.recentVerifiers).toHaveLength(1)
    expect(await outcomeOf(service.refresh(retried.refreshToken))).toBe('ok')
  })

  it('was replaced before a retry confirmed it returns the tokens of the later rotation', async () => {
    const memory = memoryStorage({ quiet: true })
    const outcomes: unknown[] = []
    const rotate: SessionStorage['rotate'] = async (rotation) => {
      const outcome = await memory.rotate(rotation)
      outcomes.push(outcome)
      return outcome
    }
    const { gate, service, login, addInstance } = createHeldService({}, { ...memory, rotate })
    const { refreshToken } = await login()
    const second = await service.refresh(refreshToken)
    gate.hold('rotate')
    const retry = service.refresh(refreshToken)
    await gate.held('rotate')
    const later = addInstance().service.refresh(second.refreshToken)
    const [, rotation] = await gate.held('rotate', 2)
    rotation?.release()
    const third = await later
    gate.open('rotate')
    expect((await retry).refreshToken).toBe(third.refreshToken)
    expect(outcomes).toEqual(['rotated', 'rotated', 'stale', 'rotated'])
  })

  it('was not committed leaves the session and the refresh token unchanged', async () => {
    const { gate, service, login, storage, system } = createHeldService()
    const { refreshToken, sessionId } = await login()
    const before = await findRecord(storage, sessionId)
    gate.hold('rotate')
    const lost = outcomeOf(service.refresh(refreshToken))
    const [call] = await gate.held('rotate')
    call?.reject(new Error('connection lost'))
    expect(await lost).toBe('jwt_auth_unavailable')
    gate.open('rotate')
    expect(await findRecord(storage, sessionId)).toEqual(before)
    system.advance(60_000)
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('ok')
  })

  it('follows another rotation after the end of the grace window is a replay', async () => {
    const { gate, service, login, system, addInstance } = createHeldService()
    const { refreshToken } = await login()
    gate.hold('rotate')
    const slow = outcomeOf(service.refresh(refreshToken))
    await gate.held('rotate')
    const quick = outcomeOf(addInstance().service.refresh(refreshToken))
    const [, second] = await gate.held('rotate', 2)
    second?.release()
    expect(await quick).toBe('ok')
    system.advance(30_001)
    gate.open('rotate')
    expect(await slow).toBe('jwt_auth_invalid_refresh_token')
  })
})

describe('a replay', () => {
  it('at 21 instances ends the session once, and is announced once', async () => {
    const { gate, service, login, system, addInstance } = createHeldService()
    const { refreshToken } = await login()
    await service.refresh(refreshToken)
    system.advance(30_001)
    gate.hold('end')
    const instances = crowd.map(addInstance)
    const replays = instances.map((instance) => instance.service.refresh(refreshToken))
    await gate.held('end', 21)
    gate.open('end')
    expect(await countOutcomes(replays)).toEqual({ jwt_auth_invalid_refresh_token: 21 })
    const events = instances.flatMap((instance) => instance.events)
    expect(events.map(({ type }) => type)).toEqual(['session_ended', 'refresh_token_replayed'])
  })

  it('fails with jwt_auth_unavailable when storage cannot end the session, and the next replay ends the session', async () => {
    const { gate, service, login, system, storage, events } = createHeldService()
    const { refreshToken, sessionId } = await login()
    await service.refresh(refreshToken)
    system.advance(30_001)
    gate.hold('end')
    const replay = outcomeOf(service.refresh(refreshToken))
    const [call] = await gate.held('end')
    call?.reject(new Error('connection lost'))
    expect(await replay).toBe('jwt_auth_unavailable')
    expect(events.map(({ type }) => type)).toEqual(['session_created'])
    gate.open('end')
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_invalid_refresh_token')
    expect(await findRecord(storage, sessionId)).toMatchObject({ endReason: 'refresh_token_replayed' })
  })
})

describe('a refresh during a revocation', () => {
  it('that ends the session between the lookup and the confirmation of a repeat is refused', async () => {
    const { gate, service, login } = createHeldService()
    const { accessToken, refreshToken } = await login()
    await service.refresh(refreshToken)
    gate.hold('rotate')
    const repeating = outcomeOf(service.refresh(refreshToken))
    await gate.held('rotate')
    await service.revoke(accessToken)
    gate.open('rotate')
    expect(await repeating).toBe('jwt_auth_invalid_refresh_token')
  })
})

describe('21 concurrent revocations', () => {
  it('end the session once, fail 20 times as already revoked, and emit one event', async () => {
    const { gate, service, login, events } = createHeldService()
    const { accessToken } = await login()
    gate.hold('end')
    const revocations = crowd.map(() => service.revoke(accessToken))
    await gate.held('end', 21)
    gate.open('end')
    expect(await countOutcomes(revocations)).toEqual({ ok: 1, jwt_auth_token_already_revoked: 20 })
    expect(events.map(({ type }) => type)).toEqual(['session_created', 'session_ended'])
  })
})

/** Wraps a directory so that a password check calls `hashing` after it has read the user, and waits for it. */
const hashSlowly = (directory: TestDirectory, hashing: () => Promise<void>): TestDirectory => ({
  ...directory,
  verifyPassword: async (user, password) => {
    const isRight = await directory.verifyPassword(user, password)
    await hashing()
    return isRight
  },
})

describe('a change of a user during their login', () => {
  const changes = [
    [
      'the password is changed',
      (users: TestDirectory) => users.change(1, { credentialVersion: 'v2', password: 'new' }),
    ],
    ['the user is deleted', (users: TestDirectory) => users.remove(1)],
    ['the user is disabled', (users: TestDirectory) => users.change(1, { disabled: true })],
  ] as const

  it.each(changes)('makes the login fail: %s', async (_, change) => {
    const directory = createTestDirectory()
    const { service, storage, events } = createTestService({
      users: hashSlowly(directory, async () => change(directory)),
    })
    const login = service.login({ username: 'ann', password: ann.password })
    expect(await rejectionOf(login)).toMatchObject({ code: 'jwt_auth_failed', message: 'Invalid credentials.' })
    expect(await storage.list({ issuer: testIssuer, userId: 1, activeAt: 0, limit: 10 })).toEqual([])
    expect(events).toMatchObject([{ type: 'login_failed', reason: 'user_changed', userId: 1 }])
  })

  it.each(changes)(
    'makes the login fail when revokeAll follows while the session is being created: %s',
    async (_, change) => {
      const { gate, users, service, storage, login } = createHeldService()
      gate.hold('create')
      const loggingIn = outcomeOf(login())
      await gate.held('create')
      change(users)
      await service.sessions.revokeAll(1)
      gate.open('create')
      expect(await loggingIn).toBe('jwt_auth_failed')
      expect(await storage.list({ issuer: testIssuer, userId: 1, activeAt: 0, limit: 10 })).toEqual([])
    },
  )

  it('ends the session of the login when revokeAll follows after the second lookup of the user', async () => {
    const directory = createTestDirectory()
    let looked = (): void => {}
    const hasLooked = new Promise<void>((resolve) => {
      looked = resolve
    })
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { service } = createTestService({
      users: directory,
      claims: async () => {
        looked()
        await released
        return {}
      },
    })
    const loggingIn = service.login({ username: 'ann', password: ann.password })
    await hasLooked
    directory.change(1, { credentialVersion: 'v2' })
    expect(await service.sessions.revokeAll(1)).toBe(1)
    release()
    const { accessToken, refreshToken } = await loggingIn
    expect(await outcomeOf(service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_invalid_refresh_token')
  })

  it('makes the login fail even when its session cannot be ended', async () => {
    const { gate, users, login } = createHeldService()
    gate.hold('create', 'end')
    const loggingIn = outcomeOf(login())
    const [creation] = await gate.held('create')
    users.change(1, { credentialVersion: 'v2' })
    creation?.release()
    const [firstEnd] = await gate.held('end')
    firstEnd?.reject(new Error('connection lost'))
    const [secondEnd] = await gate.held('end')
    secondEnd?.reject(new Error('connection lost'))
    expect(await loggingIn).toBe('jwt_auth_unavailable')
  })
})

describe('a guard call with a slow lookup', () => {
  it('refuses a session that expires during the lookup', async () => {
    const { gate, service, system, login } = createHeldService({ sessionIdleTimeoutSeconds: 50 })
    const { accessToken } = await login()
    system.advance(49_999)
    gate.hold('findByIds')
    const asking = outcomeOf(service.authorize(accessToken))
    const [lookup] = await gate.held('findByIds')
    system.advance(1)
    lookup?.release()
    expect(await asking).toBe('jwt_auth_invalid_token')
  })
})

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
  it.each([0, 1, 39])('succeeds after %i of them', async (losses) => {
    const made = createLosingService(losses)
    expect(await outcomeOf(refreshOnce(made))).toBe('ok')
    expect(made.countSwaps()).toBe(losses + 1)
  })

  it('fails with jwt_auth_unavailable after 40 of them, and does not call storage again', async () => {
    const made = createLosingService(Number.POSITIVE_INFINITY)
    expect(await rejectionOf(refreshOnce(made))).toMatchObject({
      code: 'jwt_auth_unavailable',
      cause: { message: expect.stringContaining('"stale" 40 times') },
    })
    expect(made.countSwaps()).toBe(40)
  })
})

describe('the lookups of refresh tokens', () => {
  it('are at most 32 at a time, and a flood from one network delays another by one lookup', async () => {
    const { gate, service, login } = createHeldService()
    const { refreshToken } = await login()
    gate.hold('findBySelectorHash')
    const flood = countOutcomes(
      Array.from({ length: 40 }, (_, at) =>
        service.refresh(`jwtauth_rt_${10 + at}${'A'.repeat(62)}`, { address: '192.0.2.1' }),
      ),
    )
    await gate.held('findBySelectorHash', 32)
    const refreshed = service.refresh(refreshToken, { address: '192.0.2.2' })
    gate.calls.length = 0
    for (let lookup = 1; lookup <= 2; lookup += 1) {
      const [first] = await gate.held('findBySelectorHash', 32)
      first?.release()
      await setImmediate()
      expect(gate.calls.filter((call) => call === 'findBySelectorHash')).toHaveLength(lookup)
    }
    const waiting = await gate.held('findBySelectorHash', 32)
    waiting.at(-1)?.release()
    expect(await refreshed).toMatchObject({ refreshToken: expect.any(String) })
    gate.open('findBySelectorHash')
    expect(await flood).toEqual({ jwt_auth_invalid_refresh_token: 40 })
  })
})

describe('the refreshes of one session in one instance', () => {
  it('run at most four at a time, in the order of their calls', async () => {
    const { gate, service, login, storage } = createHeldService()
    const { refreshToken, sessionId } = await login()
    gate.calls.length = 0
    gate.hold('rotate')
    const refreshes = crowd.map(() => service.refresh(refreshToken))
    await gate.held('rotate', 4)
    await setImmediate()
    expect(gate.calls.toSorted()).toEqual([...new Array(4).fill('findBySelectorHash'), ...new Array(4).fill('rotate')])
    gate.open('rotate')
    expect(await countOutcomes(refreshes)).toEqual({ ok: 21 })
    // Three lost the first swap.
    expect(gate.calls).toHaveLength(2 * (21 + 3))
    expect((await findRecord(storage, sessionId))?.recentVerifiers).toHaveLength(1)
  })

  it('continue after a refresh that fails', async () => {
    const { gate, service, login } = createHeldService()
    const { refreshToken } = await login()
    gate.hold('rotate')
    const refreshes = crowd.map(() => service.refresh(refreshToken))
    const [first] = await gate.held('rotate', 4)
    first?.reject(new Error('connection lost'))
    await gate.held('rotate', 20)
    gate.open('rotate')
    expect(await countOutcomes(refreshes)).toEqual({ jwt_auth_unavailable: 1, ok: 20 })
  })

  it('wait no longer than two deadlines for refreshes that hang', async () => {
    const { gate, service, login, system } = createHeldService()
    const { refreshToken } = await login()
    gate.hold('findBySelectorHash')
    const refreshes = crowd.map(() => service.refresh(refreshToken))
    await gate.held('findBySelectorHash', 4)
    system.fireTimers()
    await gate.held('findBySelectorHash', 8)
    system.fireTimers()
    expect(await countOutcomes(refreshes)).toEqual({ jwt_auth_unavailable: 21 })
  })
})

describe('a burst of refreshes', () => {
  it('replaces the refresh token 32 times within a grace window, and then returns the current one', async () => {
    const { gate, service, login, storage, system } = createHeldService()
    const first = await login()
    const tokens = [first.refreshToken]
    for (let count = 0; count < 40; count += 1) {
      tokens.push((await service.refresh(tokens.at(-1) ?? '')).refreshToken)
    }
    expect(new Set(tokens).size).toBe(33)
    expect((await service.refresh(first.refreshToken)).refreshToken).toBe(tokens[32])
    const { accessToken } = await service.refresh(tokens[32] ?? '')
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
    expect((await findRecord(storage, first.sessionId))?.recentVerifiers).toHaveLength(32)
    // The response confirms the state that it was read from.
    gate.fail(new Error('no standby has the rotation'), 'rotate')
    expect(await outcomeOf(service.refresh(tokens[32] ?? ''))).toBe('jwt_auth_unavailable')
    gate.open('rotate')
    system.advance(30_001)
    expect((await service.refresh(tokens[32] ?? '')).refreshToken).not.toBe(tokens[32])
  })

  it('of 200 clients at two instances without a lock refuses nobody', async () => {
    const { service, login, addInstance } = createHeldService()
    let { refreshToken: newest } = await login()
    const instances = [service, addInstance().service]
    const runClient = async (_: unknown, client: number): Promise<void> => {
      for (let count = 0; count < 5; count += 1) {
        const instance = instances[(client + count) % 2] ?? service
        newest = (await instance.refresh(newest)).refreshToken
      }
    }
    await Promise.all(Array.from({ length: 200 }, runClient))
    expect(await outcomeOf(service.refresh(newest))).toBe('ok')
  })
})
