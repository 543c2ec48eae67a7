import type { Rotation, SessionRecord, SessionStorage, UserId } from '@jwt-auth/core'
import { createSession } from './create-session.js'
import { deleteExpired } from './delete-expired.js'
import { endSession } from './end-session.js'
import { addOverScript, listUserScript, readSelectorScript } from './index-scripts.js'
import { checkConnection, type RedisStorageOptions } from './redis-options.js'
import { createScriptRunner, type RedisScriptClient, type RunScript } from './run-script.js'
import { readSession, toRotatedFields } from './session-fields.js'
import { createSessionKeys, readUserId, type SessionKeys, toOverMember } from './session-keys.js'
import { readSessionScript, rotateSessionScript } from './session-scripts.js'

/**
 * Sessions in Redis 7 or Valkey, on one node or on a cluster. The client is the host's: connected, and closed by the host.
 *
 * Each session is one key that only scripts change. Throws a `TypeError` for a client that is none; every method rejects with
 * a `RedisStorageError` when Redis does not answer.
 *
 * @example
 * const client = await createClient({ url: 'redis://localhost:6379' }).connect()
 * const storage = redisStorage(client)
 */
export const redisStorage = (client: RedisScriptClient, options: RedisStorageOptions = {}): SessionStorage => {
  const keys = createSessionKeys(checkConnection('redisStorage', client, options))
  const runAs = createScriptRunner(client)

  return {
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

    endAllForUser: async (userId, ending, { signal } = {}) => {
      const run = runAs('endAllForUser', signal)
      const sessions = await findOfUser(run, keys, { userId })
      const ended = await Promise.all(sessions.map((session) => endSession(run, keys, { session, ending })))
      return ended.filter(({ outcome }) => outcome === 'ended').length
    },

    listActive: async (userId, now, { signal } = {}) =>
      (await findOfUser(runAs('listActive', signal), keys, { userId, absoluteExpiresFrom: now }))
        .filter(
          ({ endedAt, idleExpiresAt, absoluteExpiresAt }) =>
            endedAt === null && now < idleExpiresAt && now < absoluteExpiresAt,
        )
        .sort((a, b) => b.createdAt - a.createdAt),

    deleteExpired: async (expiredBefore, limit, { signal } = {}) =>
      deleteExpired(runAs('deleteExpired', signal), keys, { expiredBefore, limit }),
  }
}

const findSessions = async (run: RunScript, keys: SessionKeys, ids: readonly string[]): Promise<SessionRecord[]> => {
  const found = await Promise.all([...new Set(ids)].map((id) => run(readSessionScript, keys.session(id))))
  return found.flatMap((fields) => readSession(fields) ?? [])
}

/** The sessions that are the user's own: a creation that broke off may have left another's id in the index. */
const findOfUser = async (
  run: RunScript,
  keys: SessionKeys,
  { userId, absoluteExpiresFrom }: { readonly userId: UserId; readonly absoluteExpiresFrom?: number },
): Promise<SessionRecord[]> => {
  const ids = await run(listUserScript, keys.user(userId), String(absoluteExpiresFrom ?? '-inf'))
  return (await findSessions(run, keys, ids)).filter((session) => session.userId === userId)
}

const rotate = async (run: RunScript, keys: SessionKeys, rotation: Rotation): Promise<'rotated' | 'stale'> => {
  const [outcome, selectorHash, userId] = await run(
    rotateSessionScript,
    keys.session(rotation.sessionId),
    rotation.expectedVerifierHash,
    String(rotation.idleExpiresAt),
    ...toRotatedFields(rotation),
  )
  if (outcome !== 'rotated') return 'stale'
  if (selectorHash === undefined || userId === undefined) return 'rotated'
  const id = rotation.sessionId
  const member = toOverMember({ id, selectorHash, userId: readUserId(userId) })
  await run(addOverScript, keys.over(id), member, String(rotation.idleExpiresAt))
  return 'rotated'
}
