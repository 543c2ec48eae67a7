import type { Auth } from '../access-token/claims.js'
import { type AuthError, invalidToken, setupError } from '../errors/auth-error.js'
import type { CheckedProof, Dpop, DpopRequest } from './check-proof.js'
import { invalidProof } from './proof.js'

/** What decides whether a client has the key of its session. */
interface DpopContext {
  /** `undefined` without the option `dpop`. */
  readonly dpop: Dpop | undefined
}

/**
 * Checks the proof of a login or a refresh, before anything is looked up. Returns `undefined` if
 * the request has none, and without the option `dpop`.
 *
 * @throws AuthError as {@link Dpop.checkProof} does
 */
export const checkOptionalProof = (
  { dpop }: DpopContext,
  request: { readonly dpop?: DpopRequest | undefined },
): CheckedProof | undefined =>
  dpop === undefined || request.dpop?.proof === undefined ? undefined : dpop.checkProof(request.dpop)

/**
 * Checks that a new session is bound, if the option `dpop` requires it.
 *
 * @throws AuthError `jwt_auth_invalid_dpop_proof`
 */
export const requireBinding = ({ dpop }: DpopContext, thumbprint: string | undefined): void => {
  if (dpop?.isRequired === true && thumbprint === undefined)
    throw invalidProof('`dpop.required` is set, and it is missing')
}

/**
 * Checks that a valid access token is presented with the scheme that it needs, and with a proof of
 * its key if it is bound. Returns the proof, which the caller uses up.
 *
 * @param request The request, if its scheme is `DPoP`.
 * @throws AuthError `jwt_auth_invalid_token` for the wrong scheme or another key; the errors of
 *   {@link Dpop.checkProof}; `jwt_auth_internal_error` without the option `dpop`
 */
export const checkPossession = (
  { dpop }: DpopContext,
  { accessToken, auth }: { readonly accessToken: string; readonly auth: Auth },
  request: DpopRequest | undefined,
): CheckedProof | undefined => {
  const jkt = auth.claims.cnf?.jkt
  if (jkt === undefined) {
    if (request === undefined) return undefined
    throw invalidToken('it is bound to no key: send it with the scheme Bearer')
  }
  if (dpop === undefined) throw missingOption()
  // RFC 9449, section 7.2.
  if (request === undefined) throw invalidToken('it is bound to a key: send it with the scheme DPoP and a proof')
  const proof = dpop.checkProof(request, accessToken)
  if (proof.thumbprint !== jkt) throw invalidToken('it is bound to another key than that of the proof')
  return proof
}

/** Creates the error of a bound session or token without the option `dpop`. */
export const missingOption = (): AuthError =>
  setupError(
    'a session or a token is bound to a key, but this instance has no option `dpop`. Set `dpop` to the same value on all instances, until the last bound session has ended.',
  )
