import { randomBytes } from 'node:crypto'
import { createTokenService, type SessionRecord, type SessionStorage } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { sampleUsers } from './sample-user.js'
import { openStores } from './stores.js'
import type { StoreName, World } from './world.js'

/** The contents of a world. */
export interface WorldPlan {
  readonly tokens: number
  readonly stores?: readonly StoreName[]
  readonly bcryptCost?: number
}

/**
 * Creates a secret, opens sessions, and inserts them into new databases. Omits stores that are
 * missing. The caller must close the databases.
 */
export const makeWorld = async ({ tokens: count, stores = [], bcryptCost = 4 }: WorldPlan) => {
  const key = {
    secret: randomBytes(48).toString('base64url'),
    issuer: 'https://bench.example',
    audience: 'bench',
  }
  const { tokens, sessions } = await openSessions(key, count + 1)
  const endedAt = Date.now()
  const all = sessions.map((session, place) =>
    place === count ? { ...session, endedAt, endReason: 'revoked' } : session,
  )
  const { urls, close } = await openStores(stores, all)
  const world: World = {
    ...key,
    tokens: tokens.slice(0, count),
    revokedToken: tokens.slice(count).join(),
    sessions: all,
    databaseUrls: urls,
    bcryptCost,
  }
  return { world, close }
}

/**
 * Opens sessions of one service in memory. Any service with the same secret and records accepts
 * their tokens.
 */
const openSessions = async (
  key: Pick<World, 'secret' | 'issuer' | 'audience'>,
  count: number,
): Promise<{ readonly tokens: readonly string[]; readonly sessions: readonly SessionRecord[] }> => {
  const sessions: SessionRecord[] = []
  const memory = memoryStorage({ quiet: true })
  const storage: SessionStorage = {
    ...memory,
    create: async (session) => {
      sessions.push(session)
    },
  }
  const service = createTokenService({ ...key, users: sampleUsers, storage })
  const tokens: string[] = []
  for (let number = 0; number < count; number += 1) tokens.push((await service.sessions.create(1)).accessToken)
  return { tokens, sessions }
}
