import { memoryStorage } from '@jwt-auth/storage-memory'
import { findRecord, findRecords } from '@jwt-auth/test-support/find-records'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { type CheckedStorage, createCheckedStorage } from '../../src/checked/checked-storage.js'
import type { Rotation, SessionRecord, SessionStorage } from '../../src/ports/session-storage.js'
import { createDeadline } from '../../src/system.js'

const system = createTestSystem()
const storage = memoryStorage({ quiet: true })
const { login } = createTestService({ storage })
const template = await findRecord(storage, (await login()).sessionId)

/** Creates a session of the user 1. A higher number is newer. */
const sampleSession = (number: number, differences: Partial<SessionRecord> = {}): SessionRecord => {
  if (template === undefined) throw new Error('no session')
  const id = `session-${String(number).padStart(14, '0')}`
  return { ...template, id, selectorHash: id, createdAt: template.createdAt + number, ...differences }
}

const [present, former, other] = ['https://new.example', 'https://old.example', 'https://other.example']
const ending = { endedAt: sampleSession(0).createdAt + 1_000, endReason: 'created_before' }

const check = (checked: SessionStorage, issuers: readonly string[] = [present]): CheckedStorage =>
  createCheckedStorage(checked, {
    issuers,
    runInTime: createDeadline(1_000, system),
    monotonicMs: system.monotonicMs,
    report: () => {},
    reportDifference: () => {},
    onPrimaryChange: () => {},
  })

/** Six sessions of one user id, oldest first: of the issuer, of the former issuer and of another issuer in turn. */
const openSessions = async () => {
  const storage = memoryStorage({ quiet: true })
  for (const [number, issuer] of [former, present, other, former, present, other].entries()) {
    await storage.create(sampleSession(number, { issuer }))
  }
  return {
    storage,
    own: check(storage, [present, former]),
  }
}

const rotation: Rotation = {
  id: sampleSession(0).id,
  expectedVerifierHash: 'expected',
  verifierHash: 'next',
  recentVerifiers: [],
  rotatedAt: 0,
  lastUsedAt: 0,
  idleExpiresAt: 1,
  lastUserAgent: null,
  lastIpAddress: null,
}

const idOf = (number: number): string => sampleSession(number).id

describe('the sessions of a service with a former issuer', () => {
  it('are found by id, and those of another issuer are not', async () => {
    const { own } = await openSessions()
    const ids = [0, 1, 2, 3, 4, 5].map(idOf)
    expect(await Promise.all(ids.map(async (id) => (await own.findById(id))?.id))).toEqual(
      [0, 1, undefined, 3, 4, undefined].map((number) => (number === undefined ? undefined : idOf(number))),
    )
  })

  it.each([
    [['a'], 'storage failed for session a'],
    [['a', 'b'], 'storage failed'],
  ])('fail with the id in the detail if the only id was looked up: %j', async (ids, detail) => {
    const { storage } = await openSessions()
    const own = check({ ...storage, batchLookups: true, findByIds: () => Promise.reject(new Error('connection lost')) })
    const failures = await Promise.all(ids.map((id) => rejectionOf(own.findById(id))))
    for (const failure of failures) expect(failure).toMatchObject({ code: 'jwt_auth_unavailable', detail })
  })

  it.each<[string, (own: CheckedStorage) => Promise<unknown>]>([
    ['findById', (own) => own.findById('a')],
    ['end', (own) => own.end({ id: 'a', ...ending })],
    ['rotate', (own) => own.rotate({ ...rotation, id: 'a' })],
  ])('fail with the id in the detail if %s fails', async (_, call) => {
    const cause = new Error('connection lost')
    const own = check(new Proxy(memoryStorage({ quiet: true }), { get: () => () => Promise.reject(cause) }))
    const detail = 'storage failed for session a'
    expect(await rejectionOf(call(own))).toMatchObject({ code: 'jwt_auth_unavailable', detail, cause })
  })

  it('fail with the id in the detail when the session cannot be read, and only then', async () => {
    const { storage } = await openSessions()
    const error = new TypeError('the column holds an unknown value')
    const damaged = { id: idOf(0), error }
    const own = check({
      ...storage,
      findByIds: async (ids) => [...(await storage.findByIds(ids)).filter(({ id }) => id !== damaged.id), damaged],
      findBySelectorHash: async () => damaged,
    })
    const unavailable = {
      code: 'jwt_auth_unavailable',
      detail: `storage failed for session ${damaged.id}`,
      cause: error,
    }
    const [failed, found] = await Promise.all([rejectionOf(own.findById(damaged.id)), own.findById(idOf(1))])
    expect(failed).toMatchObject(unavailable)
    expect(found?.id).toBe(idOf(1))
    expect(await rejectionOf(own.findBySelectorHash('a'))).toMatchObject(unavailable)
  })

  it('are never replaced by another session that the storage returns', async () => {
    const own = check({ ...storage, findByIds: async () => [sampleSession(1, { issuer: present })] })
    expect(await own.findById(idOf(0))).toBeUndefined()
  })

  it.each(['dpopThumbprint', 'attributes'])('cannot be found if the storage omits their %s', async (field) => {
    const incomplete = { ...sampleSession(0, { issuer: present }), [field]: undefined }
    const own = check(Object.assign(Object.create(storage), { findByIds: async () => [incomplete] }))
    expect(await rejectionOf(own.findById(idOf(0)))).toMatchObject({ code: 'jwt_auth_unavailable' })
  })

  it('are listed newest first, of both issuers and up to the limit', async () => {
    const { own } = await openSessions()
    const { createdAt: now } = sampleSession(9)
    const listed = async (limit: number) => (await own.list({ userId: 1, activeAt: now, limit })).map(({ id }) => id)
    expect(await listed(10)).toEqual([4, 3, 1, 0].map(idOf))
    expect(await listed(3)).toEqual([4, 3, 1].map(idOf))
  })

  it('are listed in one order: those that have not ended, then the ended ones of both issuers, latest end first', async () => {
    const { own, storage } = await openSessions()
    for (const [place, number] of [3, 1, 4].entries()) {
      await storage.end({ id: idOf(number), ...ending, endedAt: ending.endedAt - place })
    }
    expect((await own.list({ userId: 1, limit: 10 })).map(({ id }) => id)).toEqual([0, 3, 1, 4].map(idOf))
    expect((await own.list({ userId: 1, limit: 2 })).map(({ id }) => id)).toEqual([0, 3].map(idOf))
  })

  it('are ended for a user when those of the other issuer fail, before the failure is thrown', async () => {
    const { storage } = await openSessions()
    const own = check(
      {
        ...storage,
        endAllForUser: async (end) => {
          if (end.issuer === present) throw new Error('connection lost')
          return storage.endAllForUser(end)
        },
      },
      [present, former],
    )
    expect(await rejectionOf(own.endAllForUser({ userId: 1, ...ending }))).toMatchObject({
      code: 'jwt_auth_unavailable',
    })
    const sessions = await findRecords(storage, [0, 3].map(idOf))
    expect(sessions.map(({ endedAt }) => endedAt)).toEqual([ending.endedAt, ending.endedAt])
  })

  it.each([1, 2, 3, 4, 5])('are ended in batches of %i, and none of another issuer', async (limit) => {
    const { own, storage } = await openSessions()
    const createdBefore = sampleSession(9).createdAt
    expect(await own.endCreatedBefore({ createdBefore, limit, ...ending })).toBe(Math.min(limit, 4))
    const sessions = await findRecords(storage, [0, 1, 2, 3, 4, 5].map(idOf))
    expect(sessions.filter(({ endedAt }) => endedAt !== null)).toHaveLength(Math.min(limit, 4))
    expect(sessions.filter(({ issuer, endedAt }) => issuer === other && endedAt !== null)).toEqual([])
  })

  it.each([
    [2, [[present, 2]]],
    [
      3,
      [
        [present, 3],
        [former, 1],
      ],
    ],
  ])('are ended up to the limit %i without a call for zero sessions', async (limit, expected) => {
    const { storage } = await openSessions()
    const calls: unknown[] = []
    const own = check(
      {
        ...storage,
        endCreatedBefore: (created) => {
          calls.push([created.issuer, created.limit])
          return storage.endCreatedBefore(created)
        },
      },
      [present, former],
    )
    await own.endCreatedBefore({ createdBefore: sampleSession(9).createdAt, limit, ...ending })
    expect(calls).toEqual(expected)
  })
})
