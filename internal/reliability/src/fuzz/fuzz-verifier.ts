import { inspect } from 'node:util'
import { type Auth, isAuthError } from '@jwt-auth/express'
import { type FuzzOptions, findComplaint } from './find-complaint.js'
import { type FuzzHost, fuzzUser } from './fuzz-host.js'
import { mayBeLetIn } from './may-be-let-in.js'
import { applyEdit, type EditedTokens, type TokenEdit, tokenEdits } from './token-edits.js'

/**
 * Presents tokens of every kind to the check of access tokens, without HTTP before it: a genuine one is let in, one that was changed
 * is refused as an invalid token, whatever the change was. What is wrong, and the shortest change found for it, or `undefined`.
 */
export const fuzzVerifier = async (host: FuzzHost, options: FuzzOptions): Promise<string | undefined> => {
  const [one, another] = [await host.issue(), await host.issue()]
  const tokens: EditedTokens = { token: one.accessToken, other: another.accessToken, secret: host.secret }
  return findComplaint(tokenEdits, (edit) => present(host, tokens, edit), options)
}

const present = async (host: FuzzHost, tokens: EditedTokens, edit: TokenEdit): Promise<string | undefined> => {
  const presented = applyEdit(edit, tokens)
  try {
    const auth = await host.verify(presented)
    return mayBeLetIn(edit, presented, tokens) ? judge(auth) : 'a changed token was let in'
  } catch (error) {
    if (!isAuthError(error) || error.code !== 'jwt_auth_invalid_token') return `it threw ${inspect(error)}`
    return presented === tokens.token ? 'a genuine token was refused' : undefined
  }
}

const judge = ({ userId, claims }: Auth): string | undefined =>
  userId === fuzzUser.id && claims.data.user.id === fuzzUser.id ? undefined : 'somebody was let in as somebody else'
