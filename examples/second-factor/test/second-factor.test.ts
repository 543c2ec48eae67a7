import { hashPassword } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { shortenRefusalDelays } from '@jwt-auth/test-support'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { Secret, TOTP } from 'otpauth'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { type Account, createApp } from '../src/app.js'

const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password, { cost: 4 })
const totpSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

const rows: readonly Account[] = [
  { id: 1, username: 'ann', email: 'ann@example.com', passwordHash, totpSecret },
  { id: 2, username: 'ben', email: 'ben@example.com', passwordHash, totpSecret: null },
]

/** Starts the application with a clock of its own. */
const start = () => {
  const clock = createTestClock()
  const steps = new Map<number, number>()
  let onStep = (): void => {}
  let credentialVersion = 1
  const find = (isMeant: (row: Account) => boolean): Account | undefined => {
    const row = rows.find(isMeant)
    return row && { ...row, credentialVersion }
  }
  const app = createApp({
    secret: testSecret,
    issuer: 'https://api.example.com',
    storage: memoryStorage({ quiet: true }),
    ...withSystem({ now: clock.now, startTimer: shortenRefusalDelays }),
    accounts: {
      cost: 4,
      findByUsername: async (username) => find((row) => row.username === username),
      findById: async (id) => find((row) => row.id === id),
    },
    storeTimeStep: async (userId, step) => {
      onStep()
      if (step <= (steps.get(userId) ?? 0)) return false
      steps.set(userId, step)
      return true
    },
    now: clock.now,
  })
  return {
    changePasswordDuringLogin: (): void => {
      onStep = () => {
        credentialVersion += 1
      }
    },
    logIn: (username: string, code?: unknown, given = password) =>
      request(app).post('/jwt-auth/v1/token').send({ username, password: given, code }),
    getReports: (token: string) => request(app).get('/reports').auth(token, { type: 'bearer' }),
    makeCode: (): string => new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: clock.now() }),
  }
}

/** A code that is wrong at every time of the test. */
const toWrong = (code: string): string => (code === '000000' ? '000001' : '000000')

describe('a user with a second factor', () => {
  it('logs in with the password and a code', async () => {
    const { logIn, makeCode, getReports } = start()
    const response = await logIn('ann', makeCode())

    expect(response).toMatchObject({ status: 200, body: { user_id: 1, refresh_token: expect.any(String) } })
    expect(await getReports(response.body.token)).toMatchObject({ status: 200, body: { userId: 1 } })
  })

  it('cannot log in with the password alone, and is asked for a code', async () => {
    expect(await start().logIn('ann')).toMatchObject({ status: 403, body: { code: 'code_required' } })
  })

  it('cannot use a code without the password', async () => {
    const { logIn, makeCode } = start()

    expect(await logIn('ann', makeCode(), 'wrong')).toMatchObject({ status: 403, body: { code: 'jwt_auth_failed' } })
  })

  it.each([['a wrong code'], ['a number'], ['a list'], ['other digits']])('is refused with %s', async (kind) => {
    const { logIn, makeCode } = start()
    const wrong = { 'a wrong code': toWrong(makeCode()), 'other digits': '٠'.repeat(6) }
    const code = { ...wrong, 'a number': Number(makeCode()), 'a list': [makeCode()] }[kind]

    expect(await logIn('ann', code)).toMatchObject({ status: 403, body: { code: 'code_wrong' } })
  })

  it('can use a code once, also in two concurrent logins', async () => {
    const { logIn, makeCode } = start()
    const responses = await Promise.all([logIn('ann', makeCode()), logIn('ann', makeCode())])

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403])
  })

  it('is not logged in if the password changes while the code is checked', async () => {
    const { changePasswordDuringLogin, logIn, makeCode } = start()
    changePasswordDuringLogin()

    expect(await logIn('ann', makeCode())).toMatchObject({ status: 403, body: { code: 'jwt_auth_failed' } })
  })

  it('has five wrong codes in a quarter of an hour', async () => {
    const { logIn, makeCode } = start()
    for (let count = 0; count < 5; count += 1) {
      expect(await logIn('ann', toWrong(makeCode()))).toMatchObject({ status: 403 })
    }

    expect(await logIn('ann', makeCode())).toMatchObject({ status: 429, headers: { 'retry-after': '900' } })
  })
})

describe('a user without a second factor', () => {
  it('logs in with the password alone', async () => {
    const { logIn, getReports } = start()
    const { body } = await logIn('ben')

    expect(await getReports(body.token)).toMatchObject({ status: 200, body: { userId: 2 } })
  })

  it('has ten wrong passwords', async () => {
    const { logIn } = start()
    for (let count = 0; count < 10; count += 1) {
      expect(await logIn('ben', undefined, 'wrong')).toMatchObject({ status: 403 })
    }

    expect(await logIn('ben')).toMatchObject({ status: 429 })
  })
})
