import { createTokenService } from '@jwt-auth/core'
import { knexStorage } from '@jwt-auth/storage-knex'
import { libsqlConfig } from '@jwt-auth/storage-knex/libsql'
import { memoryStorage } from '@jwt-auth/storage-memory'
import knex from 'knex'
import { plantDefect } from '../defects.js'
import { isOver, type Scenario, type ScenarioContext } from '../scenario.js'
import { findCounterexample, formatCounterexample } from './find-counterexample.js'
import type { Subject } from './world.js'

// Few enough for a look at the clock every few seconds, also where shortening a counterexample takes its time.
const schedulesPerRound = { memory: 200, SQLite: 50 } as const

const search = async (
  store: keyof typeof schedulesPerRound,
  createStorage: Subject['createStorage'],
  { random, report, defect }: ScenarioContext,
): Promise<void> => {
  const runs = schedulesPerRound[store]
  const seed = random.between(0, 2 ** 31 - 1)
  const graceSeconds = random.pick([30, 30, 0])
  // Of a planted bug the time counts, not the shortest schedule.
  const options = { runs, length: 120, seed, graceSeconds, isShortened: defect === undefined }
  const subject: Subject = {
    createTokenService: (given) => createTokenService({ ...given, ...plantDefect(defect, given) }),
    createStorage,
  }
  const found = await findCounterexample(subject, options)
  report({ store, rounds: runs, violations: found === undefined ? [] : [formatCounterexample(found)] })
}

/** The model's search for a schedule that the service does not stand; a round is a schedule. */
export const modelSchedules: Scenario = {
  name: 'model',
  run: async (context) => {
    const database = knex(libsqlConfig(':memory:'))
    const storage = knexStorage(database)
    try {
      await storage.migrate()
      const emptyStorage = async () => {
        await database('jwt_auth_sessions').delete()
        return storage
      }
      while (!isOver(context)) {
        await search('memory', () => memoryStorage({ quiet: true }), context)
        if (!isOver(context)) await search('SQLite', emptyStorage, context)
      }
    } finally {
      await database.destroy()
    }
  },
}
