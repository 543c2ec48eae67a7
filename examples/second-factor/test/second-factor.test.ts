import { hashPassword, type Limiter, type LimitWindow } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { shortenRefusalDelays } from '@jwt-auth/test-support'
import { createTestClock } from '@jwt-auth/test-support/test-clock'
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

/** Creates a limiter in memory. */
const createLimiter = (): Limiter => {
  const windows = new Map<string, LimitWindow>()
  return {
    reserve: async (counts, { now }) => ({
      windows: counts.map(({ key, windowMs }) => {
        const held = windows.get(key) ?? { key, count: 0, endsAt: now + windowMs }
        windows.set(key, { ...held, count: held.count + 1 })
        return { ...held, count: held.count + 1 }
      }),
      isMarked: false,
    }),
    refund: async (refunded) => {
      for (const window of refunded) windows.set(window.key, { ...window, count: window.count - 1 })
    },
  }
}

/** Starts the application with a clock of its own. */
const start = () => {
  const clock = createTestClock()
  const steps = new Map<number, number>()
  let credentialVersion = 1
  const find = (isMeant: (row: Account) => boolean): Account | undefined => {
    const row = rows.find(isMeant)
    return row && { ...row, credentialVersion }
  }
  const app = createApp({
    secret: testSecret,
    issuer: 'https://api.example.com',
    storage: memoryStorage({ quiet: true }),
    system: { now: clock.now, startTimer: shortenRefusalDelays },
    accounts: {
      cost: 4,
      findByUsername: async (username) => find((row) => row.username === username),
      findById: async (id) => find((row) => row.id === id),
    },
    storeTimeStep: async (userId, step) => {
      if (step <= (steps.get(userId) ?? 0)) return false
      steps.set(userId, step)
      return true
    },
    limiter: createLimiter(),
    now: clock.now,
  })
  const logIn = (path: string, username: string, given = password) =>
    request(app).post(path).send({ username, password: given })
  return {
    clock,
    changePassword: (): void => {
      credentialVersion += 1
    },
    logIn,
    passFirstStep: async (): Promise<string> => (await logIn('/first-step/token', 'ann')).body.token,
    sendCode: (token: string, code: unknown) =>
      request(app).post('/second-step').auth(token, { type: 'bearer' }).send({ code }),
    getReports: (token: string) => request(app).get('/reports').auth(token, { type: 'bearer' }),
    makeCode: (): string => new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: clock.now() }),
  }
}

/** A code that is wrong at every time of the test. */
const toWrong = (code: string): string => (code === '000000' ? '000001' : '000000')

describe('a user with a second factor', () => {
  it('logs in with the password and a code', async () => {
    const { passFirstStep, sendCode, makeCode, getReports } = start()
    const response = await sendCode(await passFirstStep(), makeCode())

    expect(response).toMatchObject({ status: 200, body: { user_id: 1, refresh_token: expect.any(String) } })
    expect(await getReports(response.body.token)).toMatchObject({ status: 200, body: { userId: 1 } })
  })

  it('cannot log in with the password alone, and gets the response to a wrong password', async () => {
    const { logIn } = start()

    expect(await logIn('/jwt-auth/v1/token', 'ann')).toMatchObject({ status: 403, body: { code: 'jwt_auth_failed' } })
  })

  it('cannot use the tokens of the first step in the application', async () => {
    const { passFirstStep, getReports } = start()

    expect(await getReports(await passFirstStep())).toMatchObject({ status: 401 })
  })

  it('cannot use a code without the password', async () => {
    const { sendCode, makeCode } = start()

    expect(await sendCode('', makeCode())).toMatchObject({ status: 401 })
  })

  it.each([['a wrong code'], ['no code'], ['a number'], ['a list'], ['other digits']])(
    'is refused with %s',
    async (kind) => {
      const { passFirstStep, sendCode, makeCode } = start()
      const wrong = { 'a wrong code': toWrong(makeCode()), 'other digits': '٠'.repeat(6) }
      const code = { ...wrong, 'a number': Number(makeCode()), 'a list': [makeCode()] }[kind]

      expect(await sendCode(await passFirstStep(), code)).toMatchObject({ status: 403 })
    },
  )

  it('can use a code once, also with two password logins', async () => {
    const { passFirstStep, sendCode, makeCode } = start()
    const [first, second] = [await passFirstStep(), await passFirstStep()]
    const responses = await Promise.all([sendCode(first, makeCode()), sendCode(second, makeCode())])

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403])
  })

  it('can use a first step once, also with two codes', async () => {
    const { clock, passFirstStep, sendCode, makeCode } = start()
    const token = await passFirstStep()
    expect(await sendCode(token, makeCode())).toMatchObject({ status: 200 })
    clock.advanceMs(30_000)

    expect(await sendCode(token, makeCode())).toMatchObject({ status: 401 })
  })

  it('cannot go on from a first step with the former password', async () => {
    const { changePassword, passFirstStep, sendCode, makeCode } = start()
    const token = await passFirstStep()
    changePassword()

    expect(await sendCode(token, makeCode())).toMatchObject({ status: 401 })
  })

  it('has five minutes for the code', async () => {
    const { clock, passFirstStep, sendCode, makeCode } = start()
    const token = await passFirstStep()
    clock.advanceMs(300_000)

    expect(await sendCode(token, makeCode())).toMatchObject({ status: 401 })
  })

  it('has five wrong codes in total, also with several password logins', async () => {
    const { passFirstStep, sendCode, makeCode } = start()
    for (let count = 0; count < 5; count += 1) {
      expect(await sendCode(await passFirstStep(), toWrong(makeCode()))).toMatchObject({ status: 403 })
    }

    expect(await sendCode(await passFirstStep(), makeCode())).toMatchObject({ status: 429 })
  })
})

describe('ten wrong passwords at both services together', () => {
  it.each(['/first-step/token', '/jwt-auth/v1/token'])('use up the limit of %s', async (path) => {
    const { logIn } = start()
    for (let count = 0; count < 5; count += 1) {
      expect(await logIn('/first-step/token', 'ben', 'wrong')).toMatchObject({ status: 403 })
      expect(await logIn('/jwt-auth/v1/token', 'ben', 'wrong')).toMatchObject({ status: 403 })
    }

    expect(await logIn(path, 'ben')).toMatchObject({ status: 429 })
  })
})

describe('a user without a second factor', () => {
  it('logs in with the password alone', async () => {
    const { logIn, getReports } = start()
    const { body } = await logIn('/jwt-auth/v1/token', 'ben')

    expect(await getReports(body.token)).toMatchObject({ status: 200, body: { userId: 2 } })
  })

  it('cannot pass the second step', async () => {
    const { logIn, sendCode, makeCode } = start()
    const { body } = await logIn('/first-step/token', 'ben')

    expect(await sendCode(body.token, makeCode())).toMatchObject({ status: 403 })
  })
})
