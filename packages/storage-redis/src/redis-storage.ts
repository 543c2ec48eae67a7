import type { Rotation, SessionRecord, SessionStorage, UserKey } from '@jwt-auth/core'
import { createSession } from './create-session.js'
import { deleteExpired } from './delete-expired.js'
import { endSession } from './end-session.js'
import { addOverScript, listUserScript, readSelectorScript } from './index-scripts.js'
import { checkConnection, type RedisStorageOptions } from './redis-options.js'
import { createScriptRunner, type RedisScriptClient, type RunScript } from './run-script.js'
import { readSession, toRotatedFields } from './session-fields.js'
import { createSessionKeys, readUserText, type SessionKeys, toOverMember } from './session-keys.js'
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

    deleteExpired: async (expiredBefore, limit, { signal } = {}) =>
      deleteExpired(runAs('deleteExpired', signal), keys, { expiredBefore, limit }),
  }
}

const findSessions = async (run: RunScript, keys: SessionKeys, ids: readonly string[]): Promise<SessionRecord[]> => {
  const found = await Promise.all([...new Set(ids)].map((id) => run(readSessionScript, keys.session(id))))
  return found.flatMap((fields) => readSession(fields) ?? [])
}

// How many sessions of a user are read at a time.
const batchSize = 64

/**
 * Reads a user's sessions that have not ended, the newest first, in batches. Omits sessions of others: a creation that broke off
 * may have left the id of another user's session in the index.
 */
async function* readOfUser(run: RunScript, keys: SessionKeys, user: UserKey): AsyncGenerator<readonly SessionRecord[]> {
  const ids = await run(listUserScript, keys.user(user))
  for (let start = 0; start < ids.length; start += batchSize) {
    const sessions = await findSessions(run, keys, ids.slice(start, start + batchSize))
    yield sessions.filter(({ issuer, userId }) => issuer === user.issuer && userId === user.userId)
  }
}

const isActive = ({ endedAt, idleExpiresAt, absoluteExpiresAt }: SessionRecord, now: number): boolean =>
  endedAt === null && now < idleExpiresAt && now < absoluteExpiresAt

const rotate = async (run: RunScript, keys: SessionKeys, rotation: Rotation): Promise<'rotated' | 'stale'> => {
  const [outcome, selectorHash, user] = await run(
    rotateSessionScript,
    keys.session(rotation.sessionId),
    rotation.expectedVerifierHash,
    String(rotation.idleExpiresAt),
    ...toRotatedFields(rotation),
  )
  if (outcome !== 'rotated') return 'stale'
  if (selectorHash === undefined || user === undefined) return 'rotated'
  const id = rotation.sessionId
  const member = toOverMember({ id, selectorHash, ...readUserText(user) })
  await run(addOverScript, keys.over(id), member, String(rotation.idleExpiresAt))
  return 'rotated'
}
