import { createAccessTokenVerifier } from '@jwt-auth/core/internal/access-token/verify-access-token'
import { readKeyRing } from '@jwt-auth/core/internal/keys/read-key-ring'
import type { World } from '../world/world.js'
import type { OpenedOperation } from './operation-contender.js'

/** Our verifier alone, without a session lookup. */
export const openVerifier = ({ secret, issuer, audience, tokens }: World): OpenedOperation => {
  const verify = createAccessTokenVerifier({
    keyRing: readKeyRing({ secret }),
    issuer,
    audience,
    clockToleranceSeconds: 0,
  })
  return {
    check: async () => {
      if (verify(tokens[0] ?? '', Date.now()).claims.iss !== issuer) throw new Error('A good token was not read.')
      refuses(() => verify(`${tokens[0]?.slice(0, -10)}AAAAAAAAAA`, Date.now()))
    },
    run: (_client, turn) => verify(tokens[turn % tokens.length] ?? '', Date.now()),
  }
}

/** Throws unless a call does. */
export const refuses = (call: () => unknown): void => {
  try {
    call()
  } catch {
    return
  }
  throw new Error('A changed token was let in.')
}
