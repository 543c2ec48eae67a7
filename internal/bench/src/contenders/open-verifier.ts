import { createAccessTokenVerifier } from '@jwt-auth/core/internal/access-token/verify-access-token'
import { readKeyRing } from '@jwt-auth/core/internal/keys/read-key-ring'
import type { World } from '../world/world.js'
import type { OpenedOperation } from './operation-contender.js'

/** Opens the verifier of jwt-auth, without a lookup of the session. */
export const openVerifier = ({ secret, issuer, audience, tokens }: World): OpenedOperation => {
  const verify = createAccessTokenVerifier({
    keyRing: readKeyRing({ secret }),
    issuer,
    audience,
    clockToleranceSeconds: 0,
  })
  return {
    check: async () => {
      if (verify(tokens[0] ?? '', Date.now()).claims.iss !== issuer) throw new Error('A valid token was refused.')
      requireThrow(() => verify(`${tokens[0]?.slice(0, -10)}AAAAAAAAAA`, Date.now()))
    },
    run: (_client, turn) => verify(tokens[turn % tokens.length] ?? '', Date.now()),
  }
}

/** Throws when a call does not throw. */
export const requireThrow = (call: () => unknown): void => {
  try {
    call()
  } catch {
    return
  }
  throw new Error('A changed token was accepted.')
}
