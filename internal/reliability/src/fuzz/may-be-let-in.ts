import type { EditedTokens, SignedEdit, TokenEdit } from './token-edits.js'

/**
 * Whether an edited token may be let in: it is a genuine one, to the byte; or it was signed anew with a claim that does not say
 * whom it is for. Decided without the service's own parsers.
 */
export const mayBeLetIn = (edit: TokenEdit, presented: string, { token, other }: EditedTokens): boolean =>
  presented === token || presented === other || (edit.kind === 'sign' && isHarmless(edit))

/**
 * Whether an edited token may end its session: beside those that are let in, one signed anew for the same user's id in its other
 * JSON type. A revocation ends the session that a genuine token names, and looks nothing up.
 */
export const mayRevoke = (edit: TokenEdit, presented: string, tokens: EditedTokens): boolean =>
  mayBeLetIn(edit, presented, tokens) || (edit.kind === 'sign' && isSameUserAsText(edit))

const isSameUserAsText = ({ part, member, json, isTwice }: SignedEdit): boolean =>
  part === 'claims' && member === 'data' && json === '{"user":{"id":"7"}}' && !isTwice

const isHarmless = ({ part, member, json, isTwice }: SignedEdit): boolean => {
  if (part === 'header') return false
  const value: unknown = JSON.parse(json)
  // A claim of the host's: there is none yet, so that "twice" is once.
  if (['role', 'constructor', '', 'crit', 'b64', 'jku', 'jwk', 'alg', 'typ', 'kid'].includes(member)) return true
  if (isTwice) return false
  if (member === 'exp')
    return Number.isInteger(value) && Number(value) > Date.now() / 1000 && Number(value) < 253402300800
  if (member === 'iat' || member === 'nbf')
    return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= Date.now() / 1000
  return member === 'sub' && value === '7'
}
