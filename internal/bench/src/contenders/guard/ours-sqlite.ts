import { openStorage } from '../../world/open-storage.js'
import { openOurGuard } from '../open-our-guard.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: '**jwt-auth**, SQLite',
  checks: 'token and session',
  open: async (world) => ({ listener: openOurGuard(world, await openStorage(world, 'SQLite')) }),
}
