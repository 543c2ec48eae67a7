import { memoryStorage } from '@jwt-auth/storage-memory'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: 'a lookup in memory storage, including the copy',
  open: async ({ sessions }) => {
    const storage = memoryStorage({ quiet: true })
    for (const session of sessions) await storage.create(session)
    const ids = sessions.map(({ id }) => [id])
    return {
      check: async () => {
        if ((await storage.findByIds(ids[0] ?? [])).length !== 1) throw new Error('The session was not found.')
      },
      run: (_client, turn) => storage.findByIds(ids[turn % ids.length] ?? []),
    }
  },
}
