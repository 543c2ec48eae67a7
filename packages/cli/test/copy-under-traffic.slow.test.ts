import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AuthenticationResult, SessionStorage } from '@jwt-auth/core'
import { knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { findDatabases, findRedis } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService, testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { createClient } from 'redis'
import { expect, it, onTestFinished } from 'vitest'
import { copySessions } from '../src/commands/copy-sessions.js'
import { createTerminal } from './support/run.js'

const [sqlite, postgresql] = await findDatabases()
const redis = await findRedis()
// The service looks at the user of each refresh. 128 sessions fit into the short form of a key of Redis.
const sessionCount = 2_400
const users = createTestDirectory(Array.from({ length: sessionCount }, (_, id) => ({ ...ann, id })))
const missing = [postgresql, redis].find((server) => server.missing !== undefined)?.missing

/** A client, with the tokens of its last login or refresh. */
interface Client {
  tokens: AuthenticationResult
  replaced: string | undefined
  isLoggedOut: boolean
}

const openSql = async (server: typeof sqlite): Promise<SessionStorage> => {
  const database = await server.createDatabase()
  onTestFinished(database.drop)
  const storage = knexStorage(database.connect())
  await storage.migrate()
  return storage
}

const openRedis = async (): Promise<SessionStorage> => {
  const client = createClient({ url: redis.url.href })
  const prefix = `copy-${randomBytes(8).toString('hex')}:`
  await client.connect()
  onTestFinished(async () => {
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 }))
      if (keys.length > 0) await client.del(keys)
    await client.close()
  })
  const storage = redisStorage(client, { prefix })
  await storage.migrate()
  return storage
}

/** Returns a storage that refuses changes, as docs/guide/operation.md says. */
const freeze = (storage: SessionStorage): SessionStorage => {
  const refuse = async (): Promise<never> => {
    throw new Error('the sessions are being moved')
  }
  return { ...storage, create: refuse, rotate: refuse, end: refuse, endAllForUser: refuse, endCreatedBefore: refuse }
}

describeEach([{ name: 'SQLite to PostgreSQL to Redis to SQLite', missing }], 'moving sessions from $name', () => {
  it('logs nobody out, and undoes no refresh and no logout, while clients use the sessions', async () => {
    const system = { ...createTestSystem(), randomBytes }
    const createService = (storage: SessionStorage) =>
      createTestService({ storage, system, users, rateLimits: false }).service
    const copy = async (from: SessionStorage, to: SessionStorage) => {
      const options = { secret: testSecret, issuer: testIssuer, users }
      const { terminal } = createTerminal({ now: system.now() })
      return (await copySessions({ ...options, storage: from }, { ...options, storage: to }, terminal)).json
    }
    let storage = await openSql(sqlite)
    const logIn = async (id: number): Promise<Client> => ({
      tokens: await createService(storage).sessions.create(id),
      replaced: undefined,
      isLoggedOut: false,
    })
    const clients = await Promise.all(Array.from({ length: sessionCount }, (_, id) => logIn(id)))

    for (const target of [await openSql(postgresql), await openRedis(), await openSql(sqlite)]) {
      const service = createService(storage)
      let [turn, isCopied] = [0, false]
      // Each client refreshes, one in seven logs out, and new ones log in.
      const useSessions = async () => {
        while (!isCopied) {
          turn += 1
          await setImmediate()
          const client = clients[(turn * 389) % clients.length] ?? expect.unreachable()
          if (client.isLoggedOut) continue
          if (turn % 7 === 0) {
            client.isLoggedOut = true
            await service.revoke(client.tokens.accessToken)
          } else if (turn % 11 === 0) clients.push(await logIn(turn % sessionCount))
          else {
            client.replaced = client.tokens.refreshToken
            client.tokens = await service.refresh(client.replaced)
          }
        }
      }
      const using = useSessions()
      system.advance(60_000)
      await copy(storage, target)
      isCopied = true
      await using

      const frozen = createService(freeze(storage))
      const active = clients.filter(({ isLoggedOut }) => !isLoggedOut)
      const [first] = active
      await expect(frozen.refresh(first?.tokens.refreshToken ?? '')).rejects.toMatchObject({
        code: 'jwt_auth_unavailable',
      })
      await expect(frozen.revoke(first?.tokens.accessToken ?? '')).rejects.toMatchObject({
        code: 'jwt_auth_revoke_failed',
      })
      expect(await frozen.authorize(first?.tokens.accessToken ?? '')).toBeDefined()
      expect(await copy(storage, target)).toMatchObject({ differing: 0, rotated: expect.any(Number) })

      storage = target
      const moved = createService(storage)
      const expectMoved = async (client: Client): Promise<void> => {
        const { accessToken, refreshToken } = client.tokens
        if (client.isLoggedOut) {
          await expect(moved.authorize(accessToken)).rejects.toMatchObject({ code: 'jwt_auth_invalid_token' })
          return
        }
        await moved.authorize(accessToken)
        // The response to the last refresh before the move was lost: its retry leads to the same token.
        if (client.replaced !== undefined)
          expect((await moved.refresh(client.replaced)).refreshToken).toBe(refreshToken)
        client.replaced = undefined
        client.tokens = await moved.refresh(refreshToken)
      }
      await Promise.all(clients.map(expectMoved))
    }
  })
})
