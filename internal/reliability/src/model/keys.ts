import { type DpopRequest, isAuthError, type TokenService } from '@jwt-auth/core'
import { createProver, type DpopProver } from '@jwt-auth/test-support/dpop-prover'
import { testIssuer } from '@jwt-auth/test-support/test-service'

/** The key of the clients whose sessions are bound. */
export const clientKey = createProver('EdDSA')

/** The key of somebody who copied a token. */
export const thiefKey = createProver('EdDSA')

/**
 * Returns a request with a valid proof of a key, for an instance with this clock. The proof names
 * the access token, if there is one.
 */
export const proveTo = async (
  service: TokenService,
  { prove }: DpopProver,
  { now, accessToken }: { readonly now: number; readonly accessToken?: string },
): Promise<DpopRequest> => {
  const toRequest = (nonce?: string): DpopRequest => {
    const iat = Math.floor(now / 1_000)
    const ath = accessToken === undefined ? {} : { accessToken }
    const claims = { htm: 'POST', htu: `${testIssuer}/`, iat, nonce, ...ath }
    return { proof: prove(claims), method: 'POST', path: '/' }
  }
  const asked: unknown = await service.checkDpopProof(toRequest()).catch((error: unknown) => error)
  return toRequest(isAuthError(asked) ? asked.dpopNonce : undefined)
}
