import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuthenticationResult, isAuthError } from '../src/index.js'
import { outcomeOf } from './support/outcome.js'
import {
  type ModelAccessToken,
  type ModelRefreshToken,
  type ModelSession,
  type ModelUser,
  modelPolicy,
  ReferenceModel,
} from './support/reference-model.js'
import { ann, bob } from './support/test-directory.js'
import { createTestService, type TestService } from './support/test-service.js'
import { startOfTests } from './support/test-system.js'

/** The service beside what the model calls its sessions and tokens. */
interface Real extends TestService {
  readonly sessionIds: Map<ModelSession, string>
  /** Each session's refresh tokens, the login's first. */
  readonly refreshTokens: Map<ModelSession, string[]>
  readonly accessTokens: Map<ModelAccessToken, string>
}

type Command = fc.AsyncCommand<ReferenceModel, Real>
type Known = Pick<ReferenceModel, 'users' | 'sessions' | 'refreshTokens' | 'accessTokens'>

const createReal = (): Real => ({
  ...createTestService(modelPolicy),
  sessionIds: new Map(),
  refreshTokens: new Map(),
  accessTokens: new Map(),
})

const knownTo = <K, V>(map: ReadonlyMap<K, V>, key: K): V => {
  const value = map.get(key)
  if (value === undefined) throw new Error('The model speaks of something that the service never gave.')
  return value
}

const pick = <T>(list: readonly T[], number: number): T | undefined => list[number % Math.max(1, list.length)]

/** The latest are picked as often as all others together: what happens to old ones is mostly decided. */
const pickLately = <T>(list: readonly T[], number: number): T | undefined =>
  number % 2 === 0 ? pick(list.slice(-3), number >> 1) : pick(list, number >> 1)

const noteAccessToken = (model: ReferenceModel, real: Real, result: AuthenticationResult): void => {
  const token = model.accessTokens.at(-1)
  if (token !== undefined) real.accessTokens.set(token, result.accessToken)
}

const accountOf = ({ id }: ModelUser) => (id === ann.id ? ann : bob)

/** A command over one item of the model; it does nothing while there is none. */
const commandOver = <T>(
  title: string,
  choose: (model: Known) => T | undefined,
  run: (item: T, model: ReferenceModel, real: Real) => Promise<void> | void,
): Command => ({
  check: (model) => choose(model) !== undefined,
  run: async (model, real) => {
    const item = choose(model)
    if (item !== undefined) await run(item, model, real)
    expect({ heard: countEvents(real), errors: real.errors }).toEqual({ heard: model.heard, errors: [] })
  },
  toString: () => title,
})

const countEvents = ({ events }: Real): Record<string, number> => {
  const counts = { session_created: 0, session_ended: 0, sessions_ended: 0 }
  for (const { type } of events) counts[type] += 1
  return counts
}

const logIn = async (user: ModelUser, model: ReferenceModel, real: Real): Promise<void> => {
  const { nicename, password } = accountOf(user)
  const login = real.service.authenticate({ username: nicename, password })
  const session = model.logIn(user)
  if (session === undefined) {
    expect(await outcomeOf(login)).toBe('jwt_auth_failed')
    return
  }
  const result = await login
  expect(result.expiresInSeconds).toBe(model.issue(session))
  noteAccessToken(model, real, result)
  real.sessionIds.set(session, result.sessionId)
  real.refreshTokens.set(session, [result.refreshToken])
}

const refresh = async (token: ModelRefreshToken, model: ReferenceModel, real: Real): Promise<void> => {
  const texts = knownTo(real.refreshTokens, token.session)
  const refreshing = real.service.refresh(texts[token.generation] ?? '')
  const expected = model.refresh(token)
  if (expected.kind === 'refused') {
    expect(await outcomeOf(refreshing)).toBe('jwt_auth_invalid_refresh_token')
    return
  }
  const result = await refreshing
  expect(result.sessionId).toBe(knownTo(real.sessionIds, token.session))
  expect(result.expiresInSeconds).toBe(expected.expiresInSeconds)
  expect(result.expiresInSeconds).toBeGreaterThanOrEqual(1)
  if (expected.kind === 'rotated') texts.push(result.refreshToken)
  expect(texts.indexOf(result.refreshToken)).toBe(expected.generation)
  noteAccessToken(model, real, result)
}

const authorize = async (token: ModelAccessToken, model: ReferenceModel, real: Real): Promise<void> => {
  const answer = await real.service.authorize(knownTo(real.accessTokens, token)).catch((error: unknown) => error)
  switch (model.authorize(token)) {
    case 'ok':
      expect(answer).toMatchObject({
        userId: token.session.user.id,
        sessionId: knownTo(real.sessionIds, token.session),
        claims: { exp: token.exp },
      })
      return
    case 'expired':
      expect(answer).toMatchObject({ code: 'jwt_auth_invalid_token', message: 'Expired token' })
      return
    case 'refused':
      expect(answer).toMatchObject({ code: 'jwt_auth_invalid_token', message: 'Invalid token.' })
  }
}

const revoke = async (token: ModelAccessToken, model: ReferenceModel, real: Real): Promise<void> => {
  const answer = await real.service.revoke(knownTo(real.accessTokens, token)).catch((error: unknown) => error)
  switch (model.revoke(token)) {
    case 'ok':
      expect(answer).toEqual({ revokedAt: new Date(model.now) })
      return
    case 'expired':
      expect(answer).toMatchObject({ code: 'jwt_auth_invalid_token', message: 'Expired token' })
      return
    case 'already':
      expect(isAuthError(answer) && answer.code).toBe('jwt_auth_token_already_revoked')
  }
}

const advance = (milliseconds: number, model: ReferenceModel, real: Real): void => {
  model.now += milliseconds
  real.system.advance(milliseconds)
}

const changePassword = (user: ModelUser, real: Real): void => {
  user.version += 1
  if (!user.isGone) real.users.change(user.id, { credentialVersion: `v${user.version}` })
}

const setDisabled = (user: ModelUser, isDisabled: boolean, real: Real): void => {
  user.isDisabled = isDisabled
  if (!user.isGone) real.users.change(user.id, { disabled: isDisabled })
}

const remove = (user: ModelUser, real: Real): void => {
  user.isGone = true
  real.users.remove(user.id)
}

const revokeAll = async (
  { user, except }: { readonly user: ModelUser; readonly except: ModelSession | undefined },
  model: ReferenceModel,
  real: Real,
): Promise<void> => {
  const options = except === undefined ? {} : { except: knownTo(real.sessionIds, except) }
  expect(await real.service.sessions.revokeAll(user.id, options)).toBe(model.revokeAll(user, except))
}

const revokeOne = async (session: ModelSession, model: ReferenceModel, real: Real): Promise<void> => {
  const sessionId = knownTo(real.sessionIds, session)
  expect(await real.service.sessions.revoke({ userId: session.user.id, sessionId })).toBe(model.revokeOne(session))
}

const list = async (user: ModelUser, model: ReferenceModel, real: Real): Promise<void> => {
  const listed = await real.service.sessions.list(user.id)
  const expected = model.liveSessionsOf(user).map((session) => knownTo(real.sessionIds, session))
  expect(listed.map(({ id }) => id).sort()).toEqual([...expected].sort())
  const openings = listed.map(({ createdAt }) => createdAt.getTime())
  expect(openings).toEqual([...openings].sort((a, b) => b - a))
}

const number = fc.nat({ max: 10_000 })
const day = 24 * 3_600_000
const someTime = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 15_000 }) },
  { weight: 6, arbitrary: fc.constantFrom(1, 999, 1_000, 29_999, 30_000, 30_001, 59_000, 60_000) },
  { weight: 1, arbitrary: fc.constantFrom(299_000, 299_999, 300_000, 1_000_000, day + 60_000, 2 * day) },
)

const often = <T>(times: number, arbitrary: fc.Arbitrary<T>): readonly fc.Arbitrary<T>[] =>
  Array.from({ length: times }, () => arbitrary)

const commands = [
  ...often(
    4,
    number.map((at) => commandOver(`logIn(${at})`, (model) => pick(model.users, at), logIn)),
  ),
  ...often(
    10,
    number.map((at) => commandOver(`refresh(${at})`, (model) => pickLately(model.refreshTokens, at), refresh)),
  ),
  ...often(
    5,
    number.map((at) => commandOver(`authorize(${at})`, (model) => pickLately(model.accessTokens, at), authorize)),
  ),
  ...often(
    4,
    someTime.map((milliseconds) => commandOver(`advance(${milliseconds})`, () => milliseconds, advance)),
  ),
  number.map((at) => commandOver(`revoke(${at})`, (model) => pickLately(model.accessTokens, at), revoke)),
  number.map((at) =>
    commandOver(
      `changePassword(${at})`,
      (model) => pick(model.users, at),
      (user, _, real) => changePassword(user, real),
    ),
  ),
  fc.tuple(number, fc.boolean()).map(([at, isDisabled]) =>
    commandOver(
      `setDisabled(${at}, ${isDisabled})`,
      (model) => pick(model.users, at),
      (user, _, real) => setDisabled(user, isDisabled, real),
    ),
  ),
  fc.constant(
    commandOver(
      'remove(Bob)',
      (model) => model.users[1],
      (user, _, real) => remove(user, real),
    ),
  ),
  fc.tuple(number, fc.option(number)).map(([at, except]) =>
    commandOver(
      `revokeAll(${at}, ${except})`,
      (model) => {
        const user = pick(model.users, at)
        return user && { user, except: except === null ? undefined : pickLately(model.sessions, except) }
      },
      revokeAll,
    ),
  ),
  number.map((at) => commandOver(`revokeOne(${at})`, (model) => pickLately(model.sessions, at), revokeOne)),
  number.map((at) => commandOver(`list(${at})`, (model) => pick(model.users, at), list)),
  fc.constant(
    commandOver(
      'purge()',
      () => 'purge',
      async (_, model, real) => {
        expect(await real.service.sessions.purge()).toBe(model.purge())
      },
    ),
  ),
]

describe('the token service', () => {
  it('does what the reference model says, whatever is asked of it and in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 80, size: 'max' }), async (run) => {
        await fc.asyncModelRun(
          () => ({ model: new ReferenceModel(startOfTests, [ann.id, bob.id]), real: createReal() }),
          run,
        )
      }),
      { numRuns: 150 },
    )
  })
})
