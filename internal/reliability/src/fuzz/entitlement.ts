import type { EditedTokens, SignedEdit, TokenEdit } from './token-edits.js'

/**
 * Returns whether an edited token may authenticate a request: it equals an issued token, or it was signed again with a changed
 * claim that does not identify the user or the audience. Decides this without the parsers of the service.
 */
export const mayAuthenticate = (edit: TokenEdit, presented: string, { token, other }: EditedTokens): boolean =>
  presented === token || presented === other || (edit.kind === 'sign' && isHarmless(edit))

/**
 * Returns whether an edited token may end its session. A token that was signed again with the user's id as text may do so, too: a
 * revocation looks no user up.
 */
export const mayRevoke = (edit: TokenEdit, presented: string, tokens: EditedTokens): boolean =>
  mayAuthenticate(edit, presented, tokens) || (edit.kind === 'sign' && isSameUserAsText(edit))

const isSameUserAsText = ({ part, member, json, isTwice }: SignedEdit): boolean =>
  part === 'claims' && member === 'data' && json === '{"user":{"id":"7"}}' && !isTwice

const isHarmless = ({ part, member, json, isTwice }: SignedEdit): boolean => {
  if (part === 'header') return false
  const value: unknown = JSON.parse(json)
  // The issued token does not have these claims. A member that is added a second time is therefore not a duplicate.
  if (['role', 'constructor', '', 'crit', 'b64', 'jku', 'jwk', 'alg', 'typ', 'kid'].includes(member)) return true
  if (isTwice) return false
  if (member === 'exp')
    return Number.isInteger(value) && Number(value) > Date.now() / 1000 && Number(value) < 253402300800
  if (member === 'iat' || member === 'nbf')
    return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= Date.now() / 1000
  return member === 'sub' && value === '7'
}
