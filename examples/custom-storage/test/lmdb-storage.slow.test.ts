import { conformanceCases, sampleSession, startStorageProcesses } from '@jwt-auth/storage-conformance'
import { afterAll, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../src/lmdb-storage.js'
import { bundleAdapter } from './support/bundle.js'
import { createTestDatabase } from './support/test-database.js'

const programs = await bundleAdapter('adapter')
const database = await createTestDatabase(programs)
const processes = startStorageProcesses(new URL('storage-process.mjs', programs))
afterAll(async () => {
  processes.stop()
  await database.drop()
})

const createStorage = () => lmdbStorage(database.empty())

describe('lmdb storage', () => {
  const cases = conformanceCases({
    createStorage,
    createFailingStorage: () => lmdbStorage(database.closed),
    createInterruptedStorages: (moment) => {
      const healthy = createStorage()
      return [lmdbStorage(database.interrupt(moment)), healthy]
    },
    createHeldStorage: () => [createStorage(), database.hold],
    createSharedStorages: () => {
      const db = database.empty()
      return [lmdbStorage(db), lmdbStorage(db)]
    },
    createProcessStorages: () => {
      database.empty()
      return processes.open(database.path)
    },
    createDamageableStorage: () => [createStorage(), database.damage],
  })
  for (const { title, run } of cases) it(title, run)

  it('ends the other sessions of a user before it rejects when the state of a session cannot be read', async () => {
    const db = database.empty()
    const storage = lmdbStorage(db)
    const [first, second, third] = [sampleSession(1), sampleSession(2), sampleSession(3)]
    for (const session of [first, second, third]) await storage.create(session)
    db.putSync(['state', second.id], '{}')
    const ending = { endedAt: first.createdAt, endReason: 'revoked' }
    await expect(storage.endAllForUser({ ...first, ...ending })).rejects.toThrow('the field id holds an unknown value')
    expect(await storage.findByIds([first.id, third.id])).toEqual([
      { ...first, ...ending },
      { ...third, ...ending },
    ])
  })

  it('writes after another process was killed in its transaction, which wrote nothing', async () => {
    const db = database.empty()
    await database.killWriter()
    await lmdbStorage(db).create(sampleSession(1))
    expect(await lmdbStorage(db).findByIds([sampleSession(1).id])).toEqual([sampleSession(1)])
    expect(db.get('held')).toBeUndefined()
  })
})
