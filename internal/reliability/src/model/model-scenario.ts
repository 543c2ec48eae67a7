import { knexStorage } from '@jwt-auth/storage-knex'
import { libsqlConfig } from '@jwt-auth/storage-knex/libsql'
import { memoryStorage } from '@jwt-auth/storage-memory'
import knex from 'knex'
import { isFinished, type Scenario, type ScenarioContext } from '../scenario.js'
import { findCounterexample, formatCounterexample } from './find-counterexample.js'
import type { Subject } from './model-instance.js'

// Few enough that the scenario checks the clock every few seconds, also while it shortens a
// counterexample.
const schedulesPerRound = { memory: 200, SQLite: 50 } as const

const search = async (
  store: keyof typeof schedulesPerRound,
  createStorage: Subject['createStorage'],
  { random, report }: ScenarioContext,
): Promise<void> => {
  const runs = schedulesPerRound[store]
  const seed = random.between(0, 2 ** 31 - 1)
  const graceSeconds = random.pick([30, 30, 0])
  const found = await findCounterexample({ createStorage }, { runs, length: 120, seed, graceSeconds })
  report({ store, rounds: runs, violations: found === undefined ? [] : [formatCounterexample(found)] })
}

/** Searches for a schedule in which the service breaks the model. A round is one schedule. */
export const modelScenario: Scenario = {
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
      while (!isFinished(context)) {
        await search('memory', () => memoryStorage({ quiet: true }), context)
        if (!isFinished(context)) await search('SQLite', emptyStorage, context)
      }
    } finally {
      await database.destroy()
    }
  },
}
