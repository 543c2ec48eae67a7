import { knexStorage } from '@jwt-auth/storage-knex'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import { memoryStorage } from '@jwt-auth/storage-memory'
import knex from 'knex'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findCounterexample, formatCounterexample, type SearchOptions } from '../../src/model/find-counterexample.js'
import type { Subject } from '../../src/model/model-instance.js'

const search = async (createStorage: Subject['createStorage'], options: SearchOptions): Promise<string> => {
  const found = await findCounterexample({ createStorage }, options)
  return found === undefined ? 'nothing found' : formatCounterexample(found)
}

// Each run tries other schedules. A failure prints the seed.
describe('the service keeps to the model', () => {
  it('over memory, in 60 schedules', async () => {
    expect(await search(() => memoryStorage({ quiet: true }), { runs: 60 })).toBe('nothing found')
  })

  it('over memory without a grace window, in 25 schedules', async () => {
    expect(await search(() => memoryStorage({ quiet: true }), { runs: 25, graceSeconds: 0 })).toBe('nothing found')
  })

  describe('over SQLite', () => {
    const database = knex(sqliteConfig(':memory:'))
    const storage = knexStorage(database)
    beforeAll(() => storage.migrate())
    afterAll(() => database.destroy())

    it('in 25 schedules', async () => {
      const createStorage = async () => {
        await database('jwt_auth_sessions').delete()
        return storage
      }
      expect(await search(createStorage, { runs: 25 })).toBe('nothing found')
    })
  })
})

describe('a counterexample', () => {
  it('is a seed, a sentence and a list of steps, and the same for the same seed', async () => {
    const storage = memoryStorage({ quiet: true })
    const broken = { ...storage, end: async () => ({ outcome: 'ended' }) as const }
    const report = await search(() => broken, { runs: 500, seed: 1 })
    expect(report).toMatch(/^seed 1: #\d+, .*\n +1\. A: #1 user 1 logs in with password 1\n/)
    expect(await search(() => broken, { runs: 500, seed: 1 })).toBe(report)
  })
})
