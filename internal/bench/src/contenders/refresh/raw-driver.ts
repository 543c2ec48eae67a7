import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { poolSize } from '../../world/open-storage.js'
import { databaseUrlOf } from '../../world/world.js'
import type { OperationContender } from '../operation-contender.js'

const select = `select id, user_id, selector_hash, verifier_hash, recent_verifiers, created_at, rotated_at, last_used_at,
  idle_expires_at, absolute_expires_at, ended_at, end_reason, credential_version, user_agent, ip_address, label
  from jwt_auth_sessions where selector_hash = $1`

const rotate = `update jwt_auth_sessions set verifier_hash = $1, recent_verifiers = $2, rotated_at = $3, last_used_at = $3,
  idle_expires_at = $4, expires_at = least($4, absolute_expires_at)
  where id = $5 and verifier_hash = $6 and ended_at is null`

const idleMs = 30 * 24 * 60 * 60 * 1000

/** The least that a refresh must do: the two statements of jwt-auth, prepared, on as many connections as jwt-auth uses. */
export const contender: OperationContender = {
  title: 'the two statements of a refresh through pg, prepared',
  open: async (world) => {
    const pool = new pg.Pool({ connectionString: databaseUrlOf(world, 'PostgreSQL'), max: poolSize, min: poolSize })

    const swap = async (client: number): Promise<number> => {
      const selector = world.sessions[client]?.selectorHash
      const { rows } = await pool.query({ name: 'select', text: select, values: [selector] })
      const now = Date.now()
      const recent = JSON.stringify([
        { verifierHash: rows[0].verifier_hash, salt: randomBytes(16).toString('base64url'), replacedAt: now },
      ])
      const next = randomBytes(32).toString('base64url')
      const values = [next, recent, now, now + idleMs, rows[0].id, rows[0].verifier_hash]
      const { rowCount } = await pool.query({ name: 'rotate', text: rotate, values })
      return rowCount ?? 0
    }

    return {
      check: async () => {
        if ((await swap(0)) !== 1) throw new Error('The swap changed no row.')
      },
      run: swap,
    }
  },
}
