import type { AuthEvent } from '@jwt-auth/express'
import type { Knex } from 'knex'
import type { Level, Logger } from 'pino'

// Anybody can cause `request_rejected` as often as they like, so the log has it only at the level `debug`.
const levels: Readonly<Record<AuthEvent['type'], Level>> = {
  request_rejected: 'debug',
  session_refreshed: 'debug',
  login_succeeded: 'info',
  login_failed: 'info',
  session_created: 'info',
  session_ended: 'info',
  sessions_ended: 'info',
  sessions_ended_before: 'info',
  keys_changed: 'info',
  purge_finished: 'info',
  refresh_token_repeated: 'info',
  rate_limited: 'warn',
  login_overload: 'warn',
  clock_skew: 'warn',
  storage_primary_changed: 'warn',
  refresh_token_replayed: 'warn',
  refresh_token_without_key: 'warn',
}

/** Returns an option `onEvent` that writes each event to pino's log. */
export const logTo =
  (logger: Logger) =>
  ({ type, ...fields }: AuthEvent): void => {
    logger[levels[type]](fields, type)
  }

/** Creates the audit table, unless it exists. Several processes may call it concurrently. */
export const createAuditTable = async (database: Knex): Promise<void> => {
  const hasTable = () => database.schema.hasTable('auth_audit')
  if (await hasTable()) return
  const creation = database.schema.createTable('auth_audit', (columns) => {
    columns.bigIncrements('id')
    columns.string('type', 40).notNullable()
    columns.string('user_id', 255).index()
    columns.text('event').notNullable()
  })
  await creation.catch(async (error) => {
    if (!(await hasTable())) throw error
  })
}

/**
 * Returns an option `onEvent` that inserts each event into the audit table, except those that the log has at the level `debug`. The
 * service reports a failed insert to `onError`.
 */
export const auditTo =
  (database: Knex) =>
  async (event: AuthEvent): Promise<void> => {
    if (levels[event.type] === 'debug') return
    const userId = 'userId' in event ? event.userId : undefined
    const row = {
      type: event.type,
      user_id: userId === undefined ? null : String(userId),
      event: JSON.stringify(event),
    }
    await database('auth_audit').insert(row)
  }
