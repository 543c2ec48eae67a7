import {
  type AdapterUnderTest,
  type ConformanceReport,
  runConformance,
  startStorageProcesses,
} from '@jwt-auth/storage-conformance'
import { describe, expect, it } from 'vitest'
import { bundleAdapter } from './support/bundle.js'
import { type PlantedFault, plantedFaults } from './support/planted-faults.js'
import { createTestDatabase } from './support/test-database.js'

/** Runs the cases of a fault on the adapter with this fault. Resolves to the failed cases. */
const findFailed = async (fault: PlantedFault): Promise<readonly ConformanceReport['results'][number][]> => {
  const { name, changes, capability, missedBy } = fault
  const programs = await bundleAdapter(name.replaceAll(/\W+/g, '-'), changes)
  const adapter: typeof import('../src/lmdb-storage.js') = await import(new URL('lmdb-storage.mjs', programs).href)
  const { lmdbStorage } = adapter
  const database = await createTestDatabase(programs)
  const processes = startStorageProcesses(new URL('storage-process.mjs', programs))
  const createStorage = () => lmdbStorage(database.empty())
  const underTest: AdapterUnderTest = {
    createStorage,
    createFailingStorage: () => lmdbStorage(database.closed),
    createHeldStorage: () => [createStorage(), database.hold],
    createSharedStorages: () => [createStorage(), createStorage()],
    createInterruptedStorages: (moment) => {
      const healthy = createStorage()
      return [lmdbStorage(database.interrupt(moment)), healthy]
    },
    createProcessStorages: () => {
      database.empty()
      return processes.open(database.path)
    },
  }
  const { results } = await runConformance(underTest, {
    only: (each) => each.capability === capability || each.capability === missedBy,
  })
  processes.stop()
  await database.drop()
  return results.filter(({ outcome }) => outcome === 'failed')
}

describe('the conformance suite', () => {
  it.each(plantedFaults.map((fault) => [fault.name, fault] as const))(
    'finds the planted fault: %s',
    async (_, fault) => {
      const failed = await findFailed(fault)
      expect(failed.map(({ title }) => title)).toContain(fault.foundBy)
      expect(failed.filter(({ capability }) => capability === fault.missedBy)).toEqual([])
    },
  )
})
