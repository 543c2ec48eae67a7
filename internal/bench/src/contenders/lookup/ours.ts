import { createCoalescedLookup } from '@jwt-auth/core/internal/session/coalesced-lookup'
import type { RunInTime } from '@jwt-auth/core/internal/system'
import { openStorage } from '../../world/open-storage.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, batched through knex',
  open: async (world) => {
    const storage = await openStorage(world, 'PostgreSQL')
    const find = createCoalescedLookup((ids) => storage.findByIds(ids), withoutDeadline)
    const idAt = (turn: number): string => world.sessions[turn % world.sessions.length]?.id ?? ''
    return {
      check: async () => {
        if ((await find(idAt(0)))?.id !== idAt(0)) throw new Error('The session was not found.')
      },
      run: (_client, turn) => find(idAt(turn)),
    }
  },
}

const withoutDeadline: RunInTime = (call) => call(() => new AbortController().signal)
