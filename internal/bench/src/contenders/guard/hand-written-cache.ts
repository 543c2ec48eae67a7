import { createHash, createSecretKey } from 'node:crypto'
import type { RequestHandler } from 'express'
import jsonwebtoken from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'
import type { World } from '../../world/world.js'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

/** The least that a guard with a cache of tokens must do: a digest, a lookup in memory, and a check of `exp`. */
export const contender: ServerContender = {
  title: 'a hand-written cache of verified tokens',
  checks: 'token',
  open: async (world) => ({ listener: openExpress(createGuard(world)) }),
}

const createGuard = ({ secret, issuer, audience }: World): RequestHandler => {
  const key = createSecretKey(secret, 'utf8')
  const expiryOf = new LRUCache<string, number>({ max: 10_000 })

  const prove = (token: string): number => {
    const claims = jsonwebtoken.verify(token, key, { algorithms: ['HS256'], issuer, audience })
    return typeof claims === 'object' && claims.exp !== undefined ? claims.exp : 0
  }

  return (req, res, next) => {
    const token = req.headers.authorization?.slice('Bearer '.length) ?? ''
    const digest = createHash('sha256').update(token).digest('base64')
    try {
      const expiry = expiryOf.get(digest) ?? prove(token)
      expiryOf.set(digest, expiry)
      if (Date.now() < expiry * 1000) next()
      else res.status(401).end()
    } catch {
      res.status(401).end()
    }
  }
}
