import { randomBytes } from 'node:crypto'
import { createTokenService, type User, type UserDirectory } from '@jwt-auth/core'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { hashPassword, passwordUsers } from '@jwt-auth/passwords'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { isPresent, openAll } from '@jwt-auth/test-support'
import { fillStore, findStores, type Store, type StoreName } from './stores.js'

/** The secret, tokens, sessions and stores for all contenders. */
export interface World {
  /** The text of the signing secret. */
  readonly secret: string
  readonly issuer: string
  readonly audience: string
  /** The access tokens of active sessions, one for each. */
  readonly tokens: readonly string[]
  /** An access token whose session has ended. */
  readonly revokedToken: string
  /** All sessions, with the ended session last. */
  readonly sessions: readonly SessionRecord[]
  /** The stores that have these sessions. */
  readonly stores: Readonly<Partial<Record<StoreName, Pick<Store, 'url' | 'processIds'>>>>
}

/**
 * Creates a secret, opens sessions, and inserts them into new stores. Omits stores that are
 * missing. The caller must close the stores.
 */
export const makeWorld = (count: number, names: readonly StoreName[] = []) =>
  openAll(async (keep) => {
    const key = { secret: randomBytes(48).toString('base64url'), issuer: 'https://bench.example', audience: 'bench' }
    const { tokens, sessions } = await openSessions(key, count + 1)
    const stores: Partial<Record<StoreName, Pick<Store, 'url' | 'processIds'>>> = {}
    for (const { name, start } of findStores().filter(isPresent)) {
      if (!names.includes(name)) continue
      const { url, processIds, close } = await start()
      keep(close)
      stores[name] = { url, processIds }
      await fillStore(name, url, sessions)
    }
    const [revokedToken = ''] = tokens.splice(count)
    const world: World = { ...key, tokens, revokedToken, sessions, stores }
    return { world }
  })

/** Returns the URL of a world's store. Throws when the world has none. */
export const urlOf = ({ stores }: World, name: StoreName): string => {
  const store = stores[name]
  if (store === undefined) throw new Error(`The world has no ${name}.`)
  return store.url
}

// Any service with the same secret and records accepts the tokens of these sessions.
const openSessions = async (key: Pick<World, 'secret' | 'issuer' | 'audience'>, count: number) => {
  const sessions: SessionRecord[] = []
  const storage = {
    ...memoryStorage({ quiet: true }),
    create: async (session: SessionRecord) => {
      const ending = sessions.length === count - 1 ? { endedAt: Date.now(), endReason: 'revoked' } : {}
      sessions.push({ ...session, ...ending })
    },
  }
  const service = createTokenService({ ...key, users: sampleUsers, storage })
  const tokens: string[] = []
  // A user with more sessions than the limit would lose the oldest at the next login.
  for (let id = 1; id <= count; id += 1) tokens.push((await service.sessions.create(id)).accessToken)
  return { tokens, sessions }
}

/** Returns a user. Every integer from 1 on is the id of a user. */
const sampleUser = (id: number): User => ({
  id,
  email: `user-${id}@example.com`,
  nicename: `user-${id}`,
  displayName: `User ${id}`,
})

/** The time limit of the services. A stall of a busy machine is a slow figure, and ends no run. */
export const callTimeoutMs = 30_000

/** All users. No user can log in. */
export const sampleUsers: UserDirectory = {
  findByUsername: async () => undefined,
  verifyPassword: async () => false,
  findById: async (id) => sampleUser(Number(id)),
}

/** Returns all users, with one password. The user 1 logs in as `user-1`. */
export const createPasswordUsers = async (password: string, cost: number) => {
  const passwordHash = await hashPassword(password, { cost })
  const find = async (id: number) => ({ ...sampleUser(id), passwordHash })
  return passwordUsers({
    cost,
    findByUsername: (name) => find(Number(name.replace('user-', ''))),
    findById: (id) => find(Number(id)),
  })
}
