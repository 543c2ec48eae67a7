import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/index.js'
import { addressOf, createAttackedService } from '../support/login-attempts.js'

const here = { address: addressOf(1) }

describe('the password of a signed-in user', () => {
  it('gives the user if it is right', async () => {
    const { service } = createTestService()
    expect(await service.requirePassword(1, ann.password, here)).toMatchObject({ id: 1, email: ann.email })
  })

  it.each([
    ['wrong'],
    [''],
    ['x'.repeat(4_097)],
    [undefined],
    [null],
    [7],
    [[ann.password]],
    [{ toString: () => ann.password }],
  ])('fails with jwt_auth_failed if it is another: %j (%#)', async (password) => {
    const { service } = createTestService()
    expect(await outcomeOf(service.requirePassword(1, password, here))).toBe('jwt_auth_failed')
  })

  it('fails with an error that names `await`, for an unhandled rejection', async () => {
    const { service } = createTestService()
    const { detail } = await service.requirePassword(1, 'wrong', here).catch((error) => error)
    expect(detail).toBe('the password is wrong: respond only after `await requirePassword(…)`')
  })

  it.each([
    ['does not exist', 99, () => {}],
    ['has an id of another type', '1', () => {}],
    ['is disabled', 1, (users: ReturnType<typeof createTestDirectory>) => users.change(1, { disabled: true })],
    ['has been deleted', 1, (users: ReturnType<typeof createTestDirectory>) => users.remove(1)],
  ])('is never right for a user who %s', async (_, id, change) => {
    const { service, users } = createTestService()
    change(users)
    expect(await outcomeOf(service.requirePassword(id, ann.password, here))).toBe('jwt_auth_failed')
  })

  it.each([
    ['changed', { ...ann, credentialVersion: 'later' }],
    ['disabled', { ...ann, disabled: true }],
    ['deleted', undefined],
  ])('fails with jwt_auth_failed when the user was %s while the password was being checked', async (_, later) => {
    const directory = createTestDirectory()
    let isChecked = false
    const { service } = createTestService({
      users: {
        ...directory,
        findById: async (id) => (isChecked ? later : directory.findById(id)),
        verifyPassword: async (...check) => {
          isChecked = true
          return directory.verifyPassword(...check)
        },
      },
    })
    expect(await outcomeOf(service.requirePassword(1, ann.password, here))).toBe('jwt_auth_failed')
  })

  it('opens no session and announces nothing', async () => {
    const { service, events } = createTestService()
    await service.requirePassword(1, ann.password, here)
    expect([await service.sessions.list(1), events]).toEqual([[], []])
  })
})

describe('wrong passwords of a signed-in user', () => {
  it('are announced once each', async () => {
    const { service, events, system } = createTestService()
    await outcomeOf(service.requirePassword(1, 'wrong', here))
    const from = { network: here.address, ipAddress: here.address }
    const at = new Date(system.now())
    expect(events).toEqual([{ type: 'login_failed', reason: 'wrong_password', userId: 1, ...from, at }])
  })

  it('are ten in three hours from one network; then none is checked', async () => {
    const { service, guesses } = createAttackedService()
    for (let count = 0; count < 10; count += 1) {
      expect(await outcomeOf(service.requirePassword(1, 'wrong', here))).toBe('jwt_auth_failed')
    }
    const refused = await rejectionOf(service.requirePassword(1, ann.password, here))
    expect(refused).toEqual(new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 10_800 }))
    expect(guesses()).toBe(10)
  })

  it('count for all accounts of the network together with those of logins', async () => {
    const { service, failFrom } = createAttackedService()
    for (let name = 0; name < 95; name += 1) await failFrom(here.address, 1, `name-${name}`)
    for (let count = 0; count < 5; count += 1) await outcomeOf(service.requirePassword(1, 'wrong', here))
    expect(await failFrom(here.address, 1, 'another')).toEqual([{ throttled: 3_600 }])
  })

  it('share the attempts of the user in a known network with logins', async () => {
    const { service, attempt, failFrom } = createAttackedService({
      rateLimits: { network: { points: 1, durationSeconds: 86_400 } },
    })
    await attempt({ from: here.address })
    await failFrom(here.address, 9)
    expect(await rejectionOf(service.requirePassword(1, 'wrong', here))).toMatchObject({
      code: 'jwt_auth_rate_limited',
    })
    expect(await attempt({ from: here.address })).toEqual({ throttled: 86_400 })
  })

  it('are counted for each user by id', async () => {
    const { service } = createAttackedService()
    for (let count = 0; count < 10; count += 1) await outcomeOf(service.requirePassword(1, 'wrong', here))
    expect(await outcomeOf(service.requirePassword('bob-2', 'battery staple', here))).toBe('ok')
  })
})
