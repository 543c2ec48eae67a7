import type { MigratableStorage, Rotation } from '@jwt-auth/core/adapter'
import { hasMethod } from '@jwt-auth/core/internal'
import { deleteExpired } from './clean-up.js'
import { createSession } from './create-session.js'
import { endCreatedBefore, endSession, endUserSessions } from './end-sessions.js'
import { findPage, findSessions, findStored, listSessions } from './find-sessions.js'
import { createRedisLimiter } from './redis-limits.js'
import { parsePrefix, type RedisStorageOptions } from './redis-options.js'
import { createSchemaMethods, knownSchema } from './schema-versions.js'
import { createScriptRunner, type RedisScriptClient } from './script-runner.js'
import { findUser, parseUserText, toExpiryMember, toRotatedFields } from './session-fields.js'
import { createSessionKeys, type SessionStore } from './session-keys.js'
import { rotateSessionScript } from './session-scripts.js'

/**
 * Creates session storage in Redis 7 or later, or in Valkey, on one node or a cluster. Your
 * application connects the client, and closes it after `await auth.close()`. Call
 * `migrate()` of the storage at each start.
 *
 * Each session is one key that only scripts change. Failed attempts are counted in keys of their
 * own, which Redis deletes. A method that fails rejects with an `Error`.
 * Its `code` is the code of Redis (`READONLY`) or of the socket (`ECONNREFUSED`), the name of the
 * client's error (`ClientClosedError`), `ABORT_ERR` after a deadline, or `TAKEN` when another
 * session has the id or the selector hash. Its message has no stored value. A right that the Redis
 * user lacks makes `status()` not ready.
 *
 * @throws TypeError for a value that is not a node-redis client, and for a wrong or unknown option
 *
 * @example
 * ```ts
 * const client = createClient({ url: 'redis://localhost:6379' })
 * client.on('error', console.error)
 * await client.connect()
 * const storage = redisStorage(client)
 * await storage.migrate()
 * const auth = jwtAuth({ secret, issuer, users, storage })
 * ```
 */
export const redisStorage = (client: RedisScriptClient, options: RedisStorageOptions = {}): MigratableStorage => {
  const prefix = parsePrefix(client, options)
  const keys = createSessionKeys(prefix)
  const runFor = createScriptRunner(client)
  // The nodes of a cluster fail separately.
  const isOneServer = !hasMethod(client, 'nodeClient')
  const storeFor = (operation: string, signal: AbortSignal | undefined): SessionStore => ({
    ...runFor(operation, signal),
    keys,
    isOneServer,
  })

  return {
    batchLookups: isOneServer,
    limiter: createRedisLimiter(runFor, `${prefix}limits:`),
    ...createSchemaMethods(runFor, { key: keys.schema, isOneServer }, knownSchema),

    create: async (session, { signal } = {}) => createSession(storeFor('create a session', signal), session),

    findByIds: async (ids, { signal } = {}) => findSessions(storeFor('find sessions', signal), ids),

    findBySelectorHash: async (selectorHash, { signal } = {}) => {
      const store = storeFor('find a session', signal)
      const sessions = await findSessions(store, await store.runCommand('GET', keys.selector(selectorHash)))
      return sessions.find((session) => 'error' in session || session.selectorHash === selectorHash)
    },

    rotate: async (rotation, { signal } = {}) => rotate(storeFor('rotate a session', signal), rotation),

    end: async (ending, { signal } = {}) => {
      const store = storeFor('end a session', signal)
      const { id } = ending
      const fields = await findStored(store, id)
      if (fields === undefined) return { outcome: 'not-found' }
      return endSession(store, { id, fields, user: findUser(fields), ending })
    },

    endAllForUser: async (ending, { signal } = {}) =>
      endUserSessions(storeFor("end a user's sessions", signal), ending),

    list: async (filter, { signal } = {}) => listSessions(storeFor("list a user's sessions", signal), filter),

    findPage: async (page, { signal } = {}) => findPage(storeFor('find sessions', signal), page),

    endCreatedBefore: async (created, { signal } = {}) => endCreatedBefore(storeFor('end sessions', signal), created),

    deleteExpired: async ({ before, limit }, { signal } = {}) =>
      deleteExpired(storeFor('delete sessions', signal), before, limit),
  }
}

const rotate = async ({ run, runCommand, keys }: SessionStore, rotation: Rotation): Promise<'rotated' | 'stale'> => {
  const { id } = rotation
  const [outcome, selectorHash, user] = await run(
    rotateSessionScript,
    keys.session(id),
    rotation.expectedVerifierHash,
    String(rotation.idleExpiresAt),
    ...toRotatedFields(rotation),
  )
  if (outcome !== 'rotated') return 'stale'
  if (selectorHash === undefined || user === undefined) return 'rotated'
  const member = toExpiryMember({ id, selectorHash, ...parseUserText(user) })
  await runCommand('ZADD', keys.expiry(id), 'LT', String(rotation.idleExpiresAt), member)
  return 'rotated'
}
