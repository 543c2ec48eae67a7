import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createAccessTokenVerifier } from '@jwt-auth/core/internal/access-token/verify-access-token'
import { readKeyRing } from '@jwt-auth/core/internal/keys/read-key-ring'
import type { World } from '../world/world.js'
import type { OpenedOperation, OperationContender } from './contender.js'

type Verify = (token: string) => unknown

/** The first verification of each token. Contenders other than jwt-auth keep no tokens. */
export const firstVerifications: Readonly<Record<string, OperationContender>> = {
  ours: {
    title: '**jwt-auth**, the verifier',
    open: async (world) => {
      let verify = openVerifier(world)
      const { check, run } = toOperation(world, (token) => verify(token))
      return {
        check,
        run: (client, turn) => {
          // A new verifier has an empty cache.
          if (turn % world.tokens.length === 0) verify = openVerifier(world)
          return run(client, turn)
        },
      }
    },
  },
  /** The least that a verifier with jsonwebtoken must do. */
  jsonwebtoken: {
    title: 'jsonwebtoken, KeyObject',
    open: async (world) => {
      const { default: jsonwebtoken } = await import('jsonwebtoken')
      const { secret, issuer, audience } = world
      const key = createSecretKey(secret, 'utf8')
      return toOperation(world, (token) => jsonwebtoken.verify(token, key, { algorithms: ['HS256'], issuer, audience }))
    },
  },
  /** The least that any verifier must do: the HMAC, without JSON. */
  'raw-hmac': {
    title: 'the HMAC alone',
    open: async (world) => {
      const key = createSecretKey(world.secret, 'utf8')
      return toOperation(world, (token) => {
        const dot = token.lastIndexOf('.')
        const mac = createHmac('sha256', key).update(token.slice(0, dot)).digest()
        if (!timingSafeEqual(mac, Buffer.from(token.slice(dot + 1), 'base64url'))) throw new Error('refused')
      })
    },
  },
}

/** Opens the verifier of jwt-auth, without a lookup of the session. */
const openVerifier = ({ secret, issuer, audience }: World): Verify => {
  const verify = createAccessTokenVerifier({
    keyRing: readKeyRing({ secret }),
    issuer,
    audience,
    clockToleranceSeconds: 0,
  })
  return (token) => verify(token, Date.now())
}

const toOperation = ({ tokens }: World, verify: Verify): OpenedOperation => ({
  check: async () => {
    const [valid = ''] = tokens
    verify(valid)
    requireThrow(() => verify(`${valid.slice(0, -10)}AAAAAAAAAA`))
  },
  run: (_client, turn) => verify(tokens[turn % tokens.length] ?? ''),
})

const requireThrow = (call: () => unknown): void => {
  try {
    call()
  } catch {
    return
  }
  throw new Error('A changed token was accepted.')
}
