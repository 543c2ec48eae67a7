import { inspect } from 'node:util'
import { type Auth, isAuthError } from '@jwt-auth/express'
import { type FuzzOptions, findComplaint } from './find-complaint.js'
import { type FuzzHost, fuzzUser } from './fuzz-host.js'
import { applyEdit, type EditedTokens, isIssued, type TokenEdit, tokenEdits } from './fuzzed-token.js'

/**
 * Verifies access tokens of every kind, without HTTP. An issued token must be accepted. A changed token must be refused as an
 * invalid token. Resolves to a complaint with the shortest change found, or to `undefined`.
 */
export const fuzzVerifier = async (host: FuzzHost, options: FuzzOptions): Promise<string | undefined> => {
  const [one, another] = [await host.issue(), await host.issue()]
  const tokens: EditedTokens = { token: one.accessToken, other: another.accessToken }
  return findComplaint(tokenEdits, (edit) => present(host, tokens, edit), options)
}

const present = async (host: FuzzHost, tokens: EditedTokens, edit: TokenEdit): Promise<string | undefined> => {
  const presented = applyEdit(edit, tokens)
  try {
    const auth = await host.verify(presented)
    return isIssued(presented, tokens) ? judge(auth) : 'a changed token was accepted'
  } catch (error) {
    if (!isAuthError(error) || error.code !== 'jwt_auth_invalid_token') return `it threw ${inspect(error)}`
    return presented === tokens.token ? 'a valid token was refused' : undefined
  }
}

const judge = ({ userId, claims }: Auth): string | undefined =>
  userId === fuzzUser.id && claims.data.user.id === fuzzUser.id ? undefined : 'the token was accepted for another user'
