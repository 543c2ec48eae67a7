import { AuthError, type JwtAuth } from '@jwt-auth/express'
import { json, Router } from 'express'
import type { Accounts } from '../accounts.js'

/** Creates `PUT /password` and `DELETE /`, which change and delete the account of the caller. Mount them behind the guard. */
export const accountRoutes = (auth: JwtAuth, accounts: Accounts): Router => {
  const router = Router()

  router.put('/password', json(), async (req, res) => {
    const { userId } = auth.getAuth(req)
    const { currentPassword, newPassword } = parsePasswordChange(req.body)
    const user = await auth.requirePassword(userId, currentPassword, req)
    const dpopThumbprint = await auth.checkDpopProof(req)
    const isReplaced = await accounts.replacePassword(user, newPassword, auth.getHashingPriority(req))
    // Fails if another change of the password came first.
    if (!isReplaced) throw new AuthError('jwt_auth_failed')
    // No session survives a password change, including the session of this request: a thief may share it.
    await auth.sessions.revokeAll(userId, { reason: 'password_changed' })
    const device = { userAgent: req.get('user-agent'), ipAddress: req.ip }
    auth.sendTokens(res, await auth.sessions.create(userId, device, { dpopThumbprint }))
  })

  router.delete('/', json(), async (req, res) => {
    const { userId } = auth.getAuth(req)
    const { password } = toMembers(req.body)
    if (!password) throw badParameters('Missing', [['password']])
    const { id } = await auth.requirePassword(userId, password, req)
    await accounts.remove(id)
    await auth.sessions.revokeAll(userId, { reason: 'account_deleted' })
    res.status(204).end()
  })

  return router
}

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
}

const shortestPassword = 8
const longestPassword = 4_096

const parsePasswordChange = (body: unknown): PasswordChange => {
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

// NIST SP 800-63B, section 5.1.1.2: passwords that attackers try first are refused.
const isGuessablePassword = (password: string): boolean => guessablePasswords.has(password.toLowerCase())

// The most common passwords of eight and more characters. Use a longer list in your own site, such as a list of leaked passwords.
const guessablePasswords: ReadonlySet<string> = new Set(
  `password password1 password12 password123 password1234 passw0rd p@ssword p@ssw0rd 12345678 123456789 1234567890 12345678910
  123123123 11111111 00000000 88888888 87654321 987654321 11223344 12341234 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 qwertyui
  qwertyuiop qwerty12 qwerty123 qwerty1234 asdfghjk asdfghjkl zxcvbnm1 abcd1234 abc12345 abcdefgh aa123456 a1234567 iloveyou
  iloveyou1 sunshine princess football baseball superman starwars trustno1 whatever letmein1 welcome1 welcome123 admin123
  administrator changeme changeme1 computer internet michelle jennifer butterfly dragon123 monkey123 secret123 default1`.split(
    /\s+/,
  ),
)
