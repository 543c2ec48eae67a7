import { AuthError, getAuth, type JwtAuth } from '@jwt-auth/express'
import { json, Router } from 'express'
import type { Accounts } from '../accounts.js'
import { isGuessablePassword } from '../guessable-passwords.js'
import { HostError } from '../host-error.js'

/** `PUT /password` and `DELETE /`: what a user does to their own account. Mounted behind the guard. */
export const accountRoutes = (auth: JwtAuth, accounts: Accounts): Router => {
  const router = Router()

  router.put('/password', json(), async (req, res) => {
    const { userId } = getAuth(req)
    const { currentPassword, newPassword } = readPasswordChange(req.body)
    // Read before the check, so that a password that changes meanwhile is not replaced.
    const user = await accounts.users.findById(userId)
    if (user === undefined || !(await auth.checkPassword(userId, currentPassword, req))) throw wrongPassword()
    if (!(await accounts.replacePassword(user, newPassword))) throw wrongPassword()
    // No session survives a password change, not even the session of this request: a thief may share it.
    await auth.sessions.revokeAll(userId, { reason: 'password_changed' })
    const device = { userAgent: req.get('user-agent'), ipAddress: req.ip }
    auth.sendTokens(res, await auth.sessions.create(userId, device))
  })

  router.delete('/', json(), async (req, res) => {
    const { userId } = getAuth(req)
    const { password } = toMembers(req.body)
    if (!password) throw badParameters('Missing', [['password']])
    if (!(await auth.checkPassword(userId, password, req))) throw wrongPassword()
    await accounts.remove(userId)
    await auth.sessions.revokeAll(userId, { reason: 'account_deleted' })
    res.status(204).end()
  })

  return router
}

const wrongPassword = (): HostError => new HostError(403, 'host_app_wrong_password', 'The password is wrong.')

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
}

const shortestPassword = 8
const longestPassword = 4_096

const readPasswordChange = (body: unknown): PasswordChange => {
  const { current_password, new_password } = toMembers(body)
  const missing = Object.entries({ current_password, new_password }).filter(([, value]) => !value)
  if (missing.length > 0) throw badParameters('Missing', missing)
  if (!isText(current_password)) throw badParameters('Invalid', [['current_password']])
  if (!isText(new_password) || new_password.length < shortestPassword || isGuessablePassword(new_password)) {
    throw badParameters('Invalid', [['new_password']])
  }
  return { currentPassword: current_password, newPassword: new_password }
}

const toMembers = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestPassword && value.isWellFormed()

const badParameters = (fault: string, entries: readonly (readonly unknown[])[]): AuthError => {
  const params = entries.map(([name]) => String(name))
  return new AuthError('jwt_auth_invalid_request', { message: `${fault} parameter(s): ${params.join(', ')}`, params })
}
