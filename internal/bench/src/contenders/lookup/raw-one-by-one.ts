import pg from 'pg'
import { poolSize } from '../../world/open-storage.js'
import { databaseUrlOf } from '../../world/world.js'
import type { OperationContender } from '../operation-contender.js'

/** The least that one lookup per request must do. */
export const contender: OperationContender = {
  title: 'one by one through pg, prepared',
  open: async (world) => {
    const pool = new pg.Pool({ connectionString: databaseUrlOf(world, 'PostgreSQL'), max: poolSize, min: poolSize })
    const text = 'select * from jwt_auth_sessions where id = $1'
    const idAt = (turn: number): string => world.sessions[turn % world.sessions.length]?.id ?? ''
    const find = async (id: string): Promise<unknown> =>
      (await pool.query({ name: 'find', text, values: [id] })).rows[0]
    return {
      check: async () => {
        if ((await find(idAt(0))) === undefined) throw new Error('The session was not found.')
      },
      run: (_client, turn) => find(idAt(turn)),
    }
  },
}
