import { memoryStorage } from '@jwt-auth/storage-memory'
import { openOurGuard } from '../open-our-guard.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: '**jwt-auth**, memory',
  checks: 'token and session',
  open: async (world) => {
    const storage = memoryStorage({ quiet: true })
    for (const session of world.sessions) await storage.create(session)
    return { listener: openOurGuard(world, storage) }
  },
}
