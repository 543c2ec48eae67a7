import { hash } from 'node:crypto'
import { createTokenService, type SessionStorage } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { LRUCache } from 'lru-cache'
import { sampleUsers } from '../world/sample-user.js'
import type { World } from '../world/world.js'
import type { OperationContender } from './contender.js'

/** Checks of a token that was verified before, and of its session in memory. */
export const checks: Readonly<Record<string, OperationContender>> = {
  ours: toContender('**jwt-auth**, `authorize`', ({ secret, issuer, audience }, storage) => {
    const service = createTokenService({ secret, issuer, audience, users: sampleUsers, storage, rateLimits: false })
    return (token) => service.authorize(token)
  }),
  /** The least that a check must do if it does not store the tokens. */
  'lru-lookup': toContender('an LRU cache of verified tokens, and the lookup', ({ tokens, revokedToken }, storage) => {
    const cache = new LRUCache<string, { readonly sid: string; readonly exp: number }>({ max: 100_000 })
    const digestOf = (token: string): string => hash('sha256', token, 'base64')
    for (const token of [...tokens, revokedToken]) {
      cache.set(digestOf(token), JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
    }
    return async (token) => {
      const verified = cache.get(digestOf(token))
      if (verified === undefined || verified.exp * 1_000 <= Date.now()) throw new Error('refused')
      const [session] = await storage.findByIds([verified.sid])
      if (session === undefined || 'error' in session || session.endedAt !== null) throw new Error('refused')
    }
  }),
}

function toContender(
  title: string,
  open: (world: World, storage: SessionStorage) => (token: string) => Promise<unknown>,
): OperationContender {
  return {
    title,
    open: async (world) => {
      const storage = memoryStorage({ quiet: true })
      for (const session of world.sessions) await storage.create(session)
      const check = open(world, storage)
      return {
        check: async () => {
          await check(world.tokens[0] ?? '')
          if ((await check(world.revokedToken).catch(() => 'refused')) !== 'refused')
            throw new Error('It was accepted.')
        },
        run: (_client, turn) => check(world.tokens[turn % world.tokens.length] ?? ''),
      }
    },
  }
}
