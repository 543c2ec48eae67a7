import { createCoalescedLookup } from '@jwt-auth/core/internal/session/coalesced-lookup'
import type { RunInTime } from '@jwt-auth/core/internal/system'
import pg from 'pg'
import { poolSize } from '../../world/open-storage.js'
import { databaseUrlOf } from '../../world/world.js'
import type { OperationContender } from '../operation-contender.js'

/** The batches of jwt-auth directly on the driver: one prepared statement for all sizes of batches, and unparsed rows. */
export const contender: OperationContender = {
  title: 'batched through pg, one prepared `= any($1)`',
  open: async (world) => {
    const pool = new pg.Pool({ connectionString: databaseUrlOf(world, 'PostgreSQL'), max: poolSize, min: poolSize })
    const text = 'select * from jwt_auth_sessions where id = any($1)'
    const find = createCoalescedLookup(
      async (ids) => (await pool.query({ name: 'find', text, values: [ids] })).rows,
      withoutDeadline,
    )
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
