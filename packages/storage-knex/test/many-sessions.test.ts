import { createTokenService, type SessionStorage, type User } from '@jwt-auth/core'
import { sampleSession, sampleUser } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { columns, toValues } from '@jwt-auth/storage-sql/internal/session-row'
import { findDatabases } from '@jwt-auth/test-support'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const user: User = { id: 1, email: 'ann@example.com', nicename: 'ann', displayName: 'Ann' }
const users = { findByUsername: async () => user, findById: async () => user, verifyPassword: async () => true }
const count = 3_000
const now = sampleSession(count).createdAt + 1

/** A storage that counts how many ends are in progress at the same time. */
const countEnds = (storage: SessionStorage) => {
  let inProgress = 0
  const counts = { most: 0, total: 0 }
  const end: SessionStorage['end'] = async (...args) => {
    inProgress += 1
    counts.total += 1
    counts.most = Math.max(counts.most, inProgress)
    return storage.end(...args).finally(() => {
      inProgress -= 1
    })
  }
  return { counts, storage: { ...storage, end } }
}

describe(`a user with ${count} active sessions on SQLite`, async () => {
  const [sqlite] = await findDatabases()
  const database = await sqlite?.createDatabase()
  if (database === undefined) throw new Error('no SQLite')
  const knex = database.connect()
  const { counts, storage } = countEnds(knexStorage(knex))
  const { issuer } = sampleUser(1)
  const service = createTokenService({
    secret: 'kP3vT9xQ-7mZ_1rWdY5uB8sLcE2hGfNa',
    issuer,
    users,
    storage,
    system: { now: () => now },
  })

  beforeAll(async () => {
    await knexStorage(knex).migrate()
    const rows = Array.from({ length: count }, (_, number) => {
      const session = sampleSession(number)
      const row = Object.fromEntries(columns.map((column, place) => [column, toValues(session)[place]]))
      return { ...row, expires_at: session.idleExpiresAt }
    })
    await knex.batchInsert('jwt_auth_sessions', rows, 100)
  })
  afterAll(() => database.drop())

  it('is shown the newest 1,000 sessions', async () => {
    const sessions = await service.sessions.list(1)
    expect(sessions).toHaveLength(1_000)
    expect(sessions[0]?.id).toBe(sampleSession(count - 1).id)
  })

  it('logs in, and the login ends 100 sessions, ten at a time', async () => {
    const { sessionId } = await service.authenticate({ username: 'ann', password: 'x' })
    expect(counts).toEqual({ most: 10, total: 100 })
    const [newest] = await service.sessions.list(1)
    expect(newest?.id).toBe(sessionId)
  })

  it('is logged out everywhere with one call', async () => {
    expect(await service.sessions.revokeAll(1)).toBe(count - 100 + 1)
    expect(await service.sessions.list(1)).toEqual([])
  })
})
