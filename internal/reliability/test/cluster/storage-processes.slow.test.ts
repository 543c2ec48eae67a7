import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { conformanceCases, startStorageProcesses } from '@jwt-auth/storage-conformance'
import { bundlePrograms } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, afterEach, beforeEach, it } from 'vitest'
import { type FreshStore, findStores } from '../../src/cluster/stores.js'

const folder = fileURLToPath(new URL('../../', import.meta.url))
const programs = await bundlePrograms({ folder, entries: ['cluster/storage-process.ts'] })
const processes = startStorageProcesses(join(programs, 'cluster/storage-process.mjs'))
afterAll(() => processes.stop())

describeEach(await findStores(), 'two processes over one $name', ({ create }) => {
  let store: FreshStore
  // Redis reserves the ids of deleted sessions for a day, and the cases use the same ids.
  beforeEach(async () => {
    store = await create()
  })
  afterEach(() => store?.close())

  const cases = conformanceCases({
    createStorage: () => store.storage,
    createProcessStorages: () => processes.open(store.url),
  }).filter(({ capability }) => capability === 'processes')
  for (const { title, run } of cases) it(title, run)
})
