import { AuthError, type JwtAuth } from '@jwt-auth/express'
import { json, Router } from 'express'
import type { Accounts } from './accounts.js'

/** Creates `PUT /password` and `DELETE /`, which change and delete the account of the caller. Mount them behind the guard. */
export const accountRoutes = (auth: JwtAuth, accounts: Accounts): Router => {
  const router = Router()

  router.put('/password', json(), async (req, res) => {
    const { current, changed } = parsePasswordChange(req.body)
    const user = await auth.requirePassword(req, current)
    await auth.checkDpopProof(req)
    const isReplaced = await accounts.replacePassword(user, await auth.hashPassword(req, changed))
    // Fails if another change of the password came first.
    if (!isReplaced) throw new AuthError('jwt_auth_failed')
    // No session survives a password change, including the session of this request: a thief may share it.
    auth.sendTokens(res, await auth.replaceSessions(req, user.id, { reason: 'password_changed' }))
  })

  router.delete('/', json(), async (req, res) => {
    const { password } = toMembers(req.body)
    if (!password) throw badParameters('Missing', ['password'])
    const { id } = await auth.requirePassword(req, password)
    await accounts.remove(id)
    await auth.sessions.revokeAll(id, { reason: 'account_deleted' })
    res.status(204).end()
  })

  return router
}

const parsePasswordChange = (body: unknown): { readonly current: string; readonly changed: string } => {
  const members = toMembers(body)
  const missing = ['current_password', 'new_password'].filter((name) => !members[name])
  if (missing.length > 0) throw badParameters('Missing', missing)
  const { current_password: current, new_password: changed } = members
  if (!isText(current)) throw badParameters('Invalid', ['current_password'])
  // NIST SP 800-63B, section 5.1.1.2: passwords that attackers try first are refused.
  if (!isText(changed) || changed.length < 8 || guessablePasswords.has(changed.toLowerCase())) {
    throw badParameters('Invalid', ['new_password'])
  }
  return { current, changed }
}

const toMembers = (body: unknown): Readonly<Record<string, unknown>> => ({ ...Object(body) })

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 4_096 && value.isWellFormed()

const badParameters = (fault: string, params: readonly string[]): AuthError =>
  new AuthError('jwt_auth_invalid_request', { message: `${fault} parameter(s): ${params.join(', ')}`, params })

// Some of the most common passwords. Use a longer list in your own site, such as a list of leaked passwords.
const guessablePasswords: ReadonlySet<string> = new Set(
  `password password1 password12 password123 passw0rd p@ssword p@ssw0rd 12345678 123456789 1234567890 11111111 87654321
  1q2w3e4r 1qaz2wsx qwertyui qwerty123 iloveyou sunshine princess football baseball superman trustno1 letmein1
  welcome1 admin123 administrator changeme computer`.split(/\s+/),
)
