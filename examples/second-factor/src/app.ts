import {
  type JwtAuthOptions,
  jwtAuth,
  type PasswordUsersOptions,
  passwordUsers,
  type StoredUser,
} from '@jwt-auth/express'
import express, { type Express } from 'express'
import { Secret, TOTP } from 'otpauth'

/** A user of the application. `totpSecret` is `null` without a second factor. Encrypt it in your database. */
export interface Account extends StoredUser {
  readonly id: number
  readonly totpSecret: string | null
}

/** What the application brings along. */
export interface AppOptions extends Pick<JwtAuthOptions, 'secret' | 'storage'> {
  readonly issuer: string
  readonly accounts: PasswordUsersOptions<Account>
  /**
   * Stores the time step of a code, if the stored step is lower. Resolves to whether it did, so that a code works once (RFC 6238,
   * section 5.2). In SQL: `UPDATE users SET totp_step = step WHERE id = userId AND totp_step < step`.
   */
  readonly storeTimeStep: (userId: number, step: number) => Promise<boolean>
  readonly now: () => number
}

/** Creates the application: guarded reports, and logins with a second factor for users who have one. */
export const createApp = ({ accounts, storeTimeStep, now, ...options }: AppOptions): Express => {
  const auth = jwtAuth({ ...options, users: passwordUsers(accounts) })

  const isRight = async ({ id, totpSecret }: Pick<Account, 'id' | 'totpSecret'>, code: unknown): Promise<boolean> => {
    const step = totpSecret === null ? undefined : findTimeStep(totpSecret, code, now())
    return step !== undefined && storeTimeStep(id, step)
  }

  const app = express()

  // Mounted before `auth`, so that it replaces the login of the service, which asks for no code.
  app.post('/jwt-auth/v1/token', express.json(), async (req, res) => {
    const { username, password, code } = req.body ?? {}
    const user = await auth.checkCredentials(req, { username, password })
    const hasCode = user.totpSecret !== null
    if (hasCode) {
      if (code === undefined) return void res.status(403).json({ code: 'code_required', message: 'Enter a code.' })
      // Counted before the check, so that concurrent guesses do not pass the limit.
      await auth.limit(req, 'code', { points: 5, durationSeconds: 900, key: user.id })
      if (!(await isRight(user, code))) return void res.status(403).json({ code: 'code_wrong', message: 'Wrong code.' })
    }
    const amr = hasCode ? ['pwd', 'otp', 'mfa'] : ['pwd']
    auth.sendTokens(res, await auth.openSession(req, user.id, { attributes: { amr } }))
  })

  app.use(auth)
  app.get('/reports', auth.guard(), (req, res) => {
    res.json({ userId: auth.getAuth(req).userId })
  })
  app.use(auth.errorHandler())
  return app
}

const periodSeconds = 30

/**
 * Returns the time step of a code of an authenticator app (RFC 6238), or `undefined` for a wrong code. Accepts the codes of the step
 * before and after, for clocks that differ.
 */
const findTimeStep = (secret: string, code: unknown, now: number): number | undefined => {
  // The library throws for other digits, such as Arabic ones.
  if (typeof code !== 'string' || !/^[0-9]{6}$/.test(code)) return undefined
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: periodSeconds })
  const delta = totp.validate({ token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta
}
