import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { countOutcomes, rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { KeyEntry } from '../../src/index.js'

const accessTokenLifetimeSeconds = 60

type MakeKey = () => Omit<KeyEntry, 'state'>

const kinds: readonly (readonly [string, MakeKey])[] = [
  ['secrets', () => ({ key: randomBytes(32), algorithm: 'HS256' })],
  ['key pairs', () => ({ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, algorithm: 'ES256' })],
]

const ringOf = (
  active: Omit<KeyEntry, 'state'>,
  ...others: readonly Omit<KeyEntry, 'state'>[]
): readonly KeyEntry[] => [
  { ...active, state: 'active' },
  ...others.map((key): KeyEntry => ({ ...key, state: 'verify' })),
]

/** Three instances of one service with one clock, and every access token that has not expired. */
const createFleet = (makeKey: MakeKey) => {
  const system = createTestSystem()
  const storage = memoryStorage({ quiet: true })
  let current = makeKey()
  const keys = ringOf(current)
  const instances = [1, 2, 3].map(
    () =>
      createTestService({
        keys,
        storage,
        system,
        accessTokenLifetimeSeconds,
        maxSessionsPerUser: 1_000,
        rateLimits: false,
      }).service,
  )
  let tokens: { readonly accessToken: string; readonly expiresAt: number }[] = []

  /** Logs in on every instance, and checks every token that has not expired on every instance. */
  const serve = async () => {
    tokens = tokens.filter(({ expiresAt }) => expiresAt > system.now())
    const logins = await Promise.all(
      instances.map((instance) => instance.login({ username: ann.nicename, password: ann.password })),
    )
    tokens.push(
      ...logins.map(({ accessToken, expiresInSeconds }) => ({
        accessToken,
        expiresAt: system.now() + expiresInSeconds * 1_000,
      })),
    )
    return countOutcomes(tokens.flatMap(({ accessToken }) => instances.map((one) => one.authorize(accessToken))))
  }

  return { system, instances, serve, current: () => current, setCurrent: (key: typeof current) => (current = key) }
}

type Fleet = ReturnType<typeof createFleet>

/** Sets the keys of one instance after the other, with traffic in between. */
const setKeysOfEach = async ({ instances, serve }: Fleet, keys: readonly KeyEntry[], outcomes: object[]) => {
  for (const instance of instances) {
    const before = serve()
    instance.setKeys(keys)
    outcomes.push(await before, await serve())
  }
}

const lostIn = (outcomes: readonly object[]): number =>
  outcomes
    .flatMap((counts) => Object.entries(counts))
    .filter(([outcome]) => outcome !== 'ok')
    .reduce((sum, [, count]) => sum + count, 0)

describe.each(kinds)('changing %s on three instances under traffic', (_, makeKey) => {
  it('loses no request in five rounds of publish, activate, wait, drop', async () => {
    const fleet = createFleet(makeKey)
    const outcomes: object[] = [await fleet.serve()]
    for (let round = 0; round < 5; round += 1) {
      const former = fleet.current()
      const next = makeKey()
      await setKeysOfEach(fleet, ringOf(former, next), outcomes)
      fleet.system.advance(5_000)
      await setKeysOfEach(fleet, ringOf(next, former), outcomes)
      fleet.system.advance(accessTokenLifetimeSeconds * 1_000)
      await setKeysOfEach(fleet, ringOf(next), outcomes)
      fleet.setCurrent(next)
    }
    expect(lostIn(outcomes)).toBe(0)
    expect(outcomes).toHaveLength(91)
  })

  it.each([
    ['activated before it is published', (next: object, former: object) => [[next, former]]],
    ['dropped before its tokens expire', (next: object, former: object) => [[former, next], [next, former], [next]]],
  ])('loses requests when a key is %s', async (_name, stepsOf) => {
    const fleet = createFleet(makeKey)
    const outcomes: object[] = [await fleet.serve()]
    const steps = stepsOf(makeKey(), fleet.current())
    for (const [active, ...others] of steps) {
      // The parsing boundary: the steps contain the keys that they were created from.
      await setKeysOfEach(fleet, ringOf(...([active, ...others] as [ReturnType<MakeKey>])), outcomes)
    }
    expect(lostIn(outcomes)).toBeGreaterThan(0)
  })
})

describe.each(kinds)('removing a leaked key (%s)', (_, makeKey) => {
  it('invalidates its access tokens immediately, verified or not, and logs nobody out', async () => {
    const leaked = makeKey()
    const fresh = makeKey()
    const storage = memoryStorage({ quiet: true })
    const { service, login } = createTestService({ keys: ringOf(leaked), storage })
    const verified = await login()
    const unverified = await login()
    await service.authorize(verified.accessToken)

    service.setKeys(ringOf(fresh))

    for (const { accessToken } of [verified, unverified]) {
      expect(await rejectionOf(service.authorize(accessToken))).toMatchObject({
        code: 'jwt_auth_invalid_token',
        message: 'Signature verification failed',
      })
    }
    for (const { refreshToken, sessionId } of [verified, unverified]) {
      const renewed = await service.refresh(refreshToken)
      expect(renewed.sessionId).toBe(sessionId)
      expect(await service.authorize(renewed.accessToken)).toMatchObject({ userId: 1, sessionId })
    }
  })
})
