import { inspect } from 'node:util'
import { type Auth, isAuthError } from '@jwt-auth/express'
import fc from 'fast-check'
import { type FuzzHost, fuzzUser } from './fuzz-host.js'
import type { FuzzOptions } from './fuzz-routes.js'
import { mayBeLetIn } from './may-be-let-in.js'
import { applyEdit, type EditedTokens, type TokenEdit, tokenEdits } from './token-edits.js'

/**
 * Presents tokens of every kind to the check of access tokens, without HTTP before it: a genuine one is let in, one that was changed
 * is refused as an invalid token, whatever the change was. What is wrong, and the shortest change found for it, or `undefined`.
 */
export const fuzzVerifier = async (host: FuzzHost, { runs, seed }: FuzzOptions): Promise<string | undefined> => {
  const [one, another] = [await host.issue(), await host.issue()]
  const tokens: EditedTokens = { token: one.accessToken, other: another.accessToken, secret: host.secret }
  let wrong = ''
  const property = fc.asyncProperty(tokenEdits, async (edit) => {
    const complaint = await present(host, tokens, edit)
    wrong = complaint ?? wrong
    return complaint === undefined
  })
  const {
    failed,
    seed: used,
    counterexample,
  } = await fc.check(property, {
    numRuns: runs,
    ...(seed !== undefined && { seed }),
  })
  return failed ? `seed ${used}: ${wrong}\n${inspect(counterexample?.[0], { depth: 9 })}` : undefined
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
