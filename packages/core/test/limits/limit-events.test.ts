import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { bearerRequest } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError, type TokenServiceOptions } from '../../src/index.js'
import { addressOf, createAttackedService, wrong } from '../support/login-attempts.js'

const few = (points: number) => ({ points, durationSeconds: 60 })
const here = addressOf(1)

type Attacked = ReturnType<typeof createAttackedService>

describe('the event rate_limited', () => {
  it.each<[string, TokenServiceOptions['rateLimits'], (test: Attacked) => Promise<unknown>, readonly string[]]>([
    [
      'names the limit of a known pair',
      { accountAndNetwork: few(2) },
      async ({ attempt, failFrom }) => {
        await attempt({ from: here })
        await failFrom(here, 5)
      },
      ['accountAndNetwork'],
    ],
    [
      'names the limit of tokens',
      { tokens: few(2) },
      async ({ admit }) => {
        for (let count = 0; count < 5; count += 1)
          await outcomeOf(admit(bearerRequest('no.token', here), {}, 'validate'))
      },
      ['tokens'],
    ],
  ])('%s', async (_, rateLimits, play, limits) => {
    const test = createAttackedService({ rateLimits })
    await play(test)
    expect(test.refusals().map((event) => event.type === 'rate_limited' && event.limit)).toEqual(limits)
    expect(test.refusals().map((event) => event.type === 'rate_limited' && event.network)).toEqual(
      limits.map(() => here),
    )
  })
})

describe('the event login_failed', () => {
  it.each([
    ['is announced for a wrong password of a known pair while a limit is used up', 'ann', 1],
    ['is not announced for an attempt whose password was not checked', 'bob', 0],
  ])('%s', async (_, username, count) => {
    const { attempt, failFrom, events } = createAttackedService({ rateLimits: { network: few(2) } })
    await attempt({ from: here })
    for (const name of ['x', 'y']) await failFrom(here, 1, name)
    const before = events.length
    await failFrom(here, 1, username)
    const failed = events.slice(before).filter(({ type }) => type === 'login_failed')
    expect(failed).toEqual(Array(count).fill(expect.objectContaining({ userId: 1, network: here })))
  })

  it('is announced once when the directory throws jwt_auth_failed', async () => {
    const verifyPassword = () => Promise.reject(new AuthError('jwt_auth_failed'))
    const { failFrom, events } = createAttackedService({ users: { ...createTestDirectory(), verifyPassword } })
    expect(await failFrom(here, 1)).toEqual(['wrong'])
    expect(events).toMatchObject([{ type: 'login_failed', userId: 1, network: here }])
  })
})

/** Ann is known here, and the limits of unknown pairs are used up; from now on her password check fails with the error. */
const failWhileRefused = async (failure: Error, isRefused: boolean): Promise<unknown> => {
  const directory = createTestDirectory()
  let isFailing = false
  const { attempt, failFrom, service } = createAttackedService({
    users: {
      ...directory,
      verifyPassword: async (user, password) => {
        if (isFailing) throw failure
        return directory.verifyPassword(user, password)
      },
    },
    rateLimits: { network: few(2) },
  })
  await attempt({ from: here })
  if (isRefused) for (const name of ['x', 'y', 'z']) await failFrom(here, 1, name)
  isFailing = true
  return outcomeOf(service.login({ username: 'ann', password: wrong }, { address: here }))
}

describe('the code of a login', () => {
  const busy = new AuthError('jwt_auth_unavailable', { refusal: { reason: 'queue', isKnown: false } })
  const down = new AuthError('jwt_auth_unavailable')
  const another = new AuthError('jwt_auth_internal_error', { retryAfterSeconds: 2 })

  it.each([
    ['is jwt_auth_unavailable when the hashing queue is full', busy, false, 'jwt_auth_unavailable'],
    [
      'is jwt_auth_rate_limited when the hashing queue is full while a limit is used up',
      busy,
      true,
      'jwt_auth_rate_limited',
    ],
    ['is jwt_auth_unavailable when the directory fails while a limit is used up', down, true, 'jwt_auth_unavailable'],
    ['is that of any other error while a limit is used up', another, true, 'jwt_auth_internal_error'],
    ['is jwt_auth_failed when the directory throws it', new AuthError('jwt_auth_failed'), false, 'jwt_auth_failed'],
    [
      'is jwt_auth_rate_limited when the directory throws jwt_auth_failed while a limit is used up',
      new AuthError('jwt_auth_failed'),
      true,
      'jwt_auth_rate_limited',
    ],
  ])('%s', async (_, failure, isRefused, outcome) => {
    expect(await failWhileRefused(failure, isRefused)).toBe(outcome)
  })
})
