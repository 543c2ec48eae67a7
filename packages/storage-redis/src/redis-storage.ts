import type { CallOptions, Rotation, SessionRecord, SessionStorage, StorageStatus } from '@jwt-auth/core'
import { clearRecent } from './clear-recent.js'
import { createSession } from './create-session.js'
import { deleteExpired } from './delete-expired.js'
import { endCreatedBefore } from './end-created-before.js'
import { endSession } from './end-session.js'
import { addEarliestScript, addLatestScript, readSelectorScript } from './index-scripts.js'
import { findSessions, isActive, readOfUser } from './read-sessions.js'
import { checkConnection, isCluster, type RedisStorageOptions } from './redis-options.js'
import { createScriptRunner, type RedisScriptClient, type RunScript } from './run-script.js'
import { createSchemaMarker, knownSchema } from './schema-marker.js'
import { toRotatedFields } from './session-fields.js'
import { createSessionKeys, readUserText, type SessionKeys, toExpiryMember } from './session-keys.js'
import { rotateSessionScript } from './session-scripts.js'

/** Session storage in Redis, and the marker of its schema version. */
export interface RedisStorage extends SessionStorage {
  /**
   * Marks the keys with the schema version of this package. Safe to call at each start, by several processes at once, beside older
   * versions. Rejects, and changes nothing, when the schema is too new for this package. The message names the versions and the fix.
   */
  readonly migrate: () => Promise<void>
  /**
   * Resolves to whether Redis is reachable, whether this package may use the schema, and whether {@link migrate} has to be called.
   * Writes nothing. Never rejects: a failure is a status with `isReachable: false`.
   *
   * @example
   * const status = await storage.status({ signal: AbortSignal.timeout(1_000) })
   * res.sendStatus(status.isReady ? 200 : 503)
   */
  readonly status: (options?: CallOptions) => Promise<StorageStatus>
}

/**
 * Sessions in Redis 7 or Valkey, on one node or on a cluster. The client is the host's: connected, and closed by the host.
 *
 * Each session is one key that only scripts change. Throws a `TypeError` for a client that is none; every method rejects with
 * a `RedisStorageError` when Redis does not answer.
 *
 * @example
 * const client = await createClient({ url: 'redis://localhost:6379' }).connect()
 * const storage = redisStorage(client)
 * await storage.migrate()
 */
export const redisStorage = (client: RedisScriptClient, options: RedisStorageOptions = {}): RedisStorage => {
  const keys = createSessionKeys(checkConnection('redisStorage', client, options))
  const runAs = createScriptRunner(client)

  return {
    needsNoBatching: isCluster(client),
    ...createSchemaMarker(runAs, keys.schema, knownSchema),

    create: async (session, { signal } = {}) => createSession(runAs('create', signal), keys, session),

    findByIds: async (ids, { signal } = {}) => findSessions(runAs('findByIds', signal), keys, ids),

    findBySelectorHash: async (selectorHash, { signal } = {}) => {
      const run = runAs('findBySelectorHash', signal)
      const sessions = await findSessions(run, keys, await run(readSelectorScript, keys.selector(selectorHash)))
      return sessions.find((session) => session.selectorHash === selectorHash)
    },

    rotate: async (rotation, { signal } = {}) => rotate(runAs('rotate', signal), keys, rotation),

    end: async (sessionId, ending, { signal } = {}) => {
      const run = runAs('end', signal)
      const [session] = await findSessions(run, keys, [sessionId])
      return endSession(run, keys, { session, ending })
    },

    endAllForUser: async (user, ending, { signal } = {}) => {
      const run = runAs('endAllForUser', signal)
      let ended = 0
      for await (const sessions of readOfUser(run, keys, user)) {
        const outcomes = await Promise.all(sessions.map((session) => endSession(run, keys, { session, ending })))
        ended += outcomes.filter(({ outcome }) => outcome === 'ended').length
      }
      return ended
    },

    listActive: async (user, { now, limit }, { signal } = {}) => {
      const active: SessionRecord[] = []
      for await (const sessions of readOfUser(runAs('listActive', signal), keys, user)) {
        active.push(...sessions.filter((session) => isActive(session, now)))
        if (active.length >= limit) break
      }
      return active.sort((a, b) => b.createdAt - a.createdAt).slice(0, limit)
    },

    endCreatedBefore: async (created, ending, { signal } = {}) =>
      endCreatedBefore(runAs('endCreatedBefore', signal), keys, { created, ending }),

    clearRecentVerifiers: async (rotatedBefore, limit, { signal } = {}) =>
      clearRecent(runAs('clearRecentVerifiers', signal), keys, { rotatedBefore, limit }),

    deleteExpired: async (expiredBefore, limit, { signal } = {}) =>
      deleteExpired(runAs('deleteExpired', signal), keys, { expiredBefore, limit }),
  }
}

const rotate = async (run: RunScript, keys: SessionKeys, rotation: Rotation): Promise<'rotated' | 'stale'> => {
  const { sessionId: id, rotatedAt, recentVerifiers } = rotation
  const rotating = run(
    rotateSessionScript,
    keys.session(id),
    rotation.expectedVerifierHash,
    String(rotation.idleExpiresAt),
    ...toRotatedFields(rotation),
  )
  // Also for a swap that is lost: an entry too many is removed when it is met.
  const indexing = recentVerifiers.length > 0 ? run(addLatestScript, keys.recent(id), id, String(rotatedAt)) : undefined
  const [[outcome, selectorHash, user]] = await Promise.all([rotating, indexing])
  if (outcome !== 'rotated') return 'stale'
  if (selectorHash === undefined || user === undefined) return 'rotated'
  const member = toExpiryMember({ id, selectorHash, ...readUserText(user) })
  await run(addEarliestScript, keys.expiry(id), member, String(rotation.idleExpiresAt))
  return 'rotated'
}
