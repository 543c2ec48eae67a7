import {
  type JwtAuthOptions,
  jwtAuth,
  type Limiter,
  type PasswordUsersOptions,
  passwordUsers,
  type StoredUser,
} from '@jwt-auth/express'
import express, { type Express } from 'express'
import { findTimeStep } from './codes.js'

/** A user of the application. `totpSecret` is `null` without a second factor. Encrypt it in your database. */
export interface Account extends StoredUser {
  readonly id: number
  readonly totpSecret: string | null
}

/** What the application brings along. */
export interface AppOptions extends Pick<JwtAuthOptions, 'secret' | 'storage' | 'system'> {
  readonly issuer: string
  readonly accounts: PasswordUsersOptions<Account>
  /**
   * Stores the time step of a code, if the stored step is lower. Resolves to whether it did, so that a code works once (RFC 6238,
   * section 5.2). In SQL: `UPDATE users SET totp_step = step WHERE id = userId AND totp_step < step`.
   */
  readonly storeTimeStep: (userId: number, step: number) => Promise<boolean>
  /** Counts wrong passwords and wrong codes in a store that both services share, for example `knexStorage(knex).limiter`. */
  readonly limiter: Limiter
  readonly now: () => number
}

const firstStepSeconds = 300

// Five wrong codes of a user in a quarter of an hour.
const [maxCodes, codeWindowMs] = [5, 900_000]

/** Creates the application: guarded reports, and logins with a second factor for users who have one. */
export const createApp = (options: AppOptions): Express => {
  const { accounts, storeTimeStep, limiter, now, issuer, ...shared } = options
  const users = passwordUsers(accounts)
  // Both services count guesses together.
  const common = { ...shared, rateLimits: { limiter, directory: issuer } }

  // The service of the first step checks passwords, with the limits of logins. Its issuer keeps its tokens out of the application.
  const firstStep = jwtAuth({
    ...common,
    users,
    issuer: `${issuer}/first-step`,
    namespace: '/first-step',
    accessTokenLifetimeSeconds: firstStepSeconds,
    sessionIdleTimeoutSeconds: firstStepSeconds,
    sessionAbsoluteTimeoutSeconds: firstStepSeconds,
  })

  // The service of the application. A user with a second factor cannot log in with the password alone.
  const withoutSecondFactor: typeof users = {
    ...users,
    verifyPassword: async (user, password, checkOptions) =>
      (await users.verifyPassword(user, password, checkOptions)) && user?.totpSecret === null,
  }
  const auth = jwtAuth({ ...common, issuer, users: withoutSecondFactor })

  const isRight = async (userId: number, code: unknown): Promise<boolean> => {
    const secret = (await users.findById(userId))?.totpSecret
    const step = secret && findTimeStep(secret, code, now())
    return typeof step === 'number' && storeTimeStep(userId, step)
  }

  const app = express()
  app.use(firstStep, auth)
  app.get('/reports', auth.guard(), (req, res) => {
    res.json({ userId: auth.getAuth(req).userId })
  })

  app.post('/second-step', firstStep.guard({ checkUser: true }), express.json(), async (req, res) => {
    const { userId, sessionId } = firstStep.getAuth(req)
    // Counted before the check, so that concurrent guesses do not pass the limit. Rejects when counting failed: nobody passes then.
    const codes = { key: `codes:${userId}`, windowMs: codeWindowMs }
    const { windows } = await limiter.reserve([codes], { now: now() })
    if (windows.some(({ count }) => count > maxCodes))
      return void res.status(429).json({ error: 'Too many wrong codes. Try again later.' })
    if (!(await isRight(userId, req.body?.code))) return void res.status(403).json({ error: 'The code is wrong.' })
    await limiter.refund(windows, { now: now() })
    // Of several concurrent requests, one ends the first step.
    const outcome = await firstStep.sessions.revoke({ userId, sessionId })
    if (outcome !== 'ended') return void res.status(403).json({ error: 'Log in again.' })
    auth.sendTokens(
      res,
      await auth.sessions.create(userId, { device: { userAgent: req.get('user-agent'), ipAddress: req.ip } }),
    )
  })

  return app
}
