import type { Dialect } from './dialect.js'
import { columns } from './session-row.js'

/** The table's name. */
export const sessionsTable = 'jwt_auth_sessions'

/** The SQL of every operation, written once. `?` stands for a bound value. */
export interface Statements {
  readonly insert: string
  readonly selectByIds: (count: number) => string
  readonly selectBySelector: string
  readonly rotate: string
  readonly rotateWithVersion: string
  readonly end: string
  readonly selectEnding: string
  readonly endAll: string
  readonly endAllButOne: string
  readonly selectLive: string
  readonly deleteOver: string
}

const list = columns.join(', ')
const marks = (count: number): string => new Array(count).fill('?').join(', ')
const isOver = '(ended_at <= ? or idle_expires_at <= ? or absolute_expires_at <= ?)'
const endUnended = `update ${sessionsTable} set ended_at = ?, end_reason = ? where ended_at is null`

/** Writes the SQL for a dialect. Each state change is one statement that repeats its own condition. */
export const writeStatements = (dialect: Dialect): Statements => ({
  insert: `insert into ${sessionsTable} (${list}) values (${marks(columns.length)})`,
  selectByIds: (count) => `select ${list} from ${sessionsTable} where id in (${marks(count)})`,
  selectBySelector: `select ${list} from ${sessionsTable} where selector_hash = ?`,
  rotate: writeRotate(''),
  rotateWithVersion: writeRotate(', credential_version = ?'),
  end: `${endUnended} and id = ?`,
  selectEnding: `select ended_at, end_reason from ${sessionsTable} where id = ?`,
  endAll: `${endUnended} and user_id = ?`,
  endAllButOne: `${endUnended} and user_id = ? and id <> ?`,
  selectLive: `select ${list} from ${sessionsTable} where user_id = ? and ended_at is null and idle_expires_at > ? and absolute_expires_at > ? order by created_at desc, id desc`,
  deleteOver: writeDeleteOver(dialect),
})

const writeRotate = (more: string): string =>
  `update ${sessionsTable} set verifier_hash = ?, recent_verifiers = ?, rotated_at = ?, last_used_at = ?, idle_expires_at = ?${more} where id = ? and verifier_hash = ? and ended_at is null`

// MySQL limits a delete itself and no subquery of it; the others the other way round. Repeating the condition outside
// keeps a session that a refresh revived in between.
const writeDeleteOver = ({ name }: Dialect): string => {
  if (name === 'mysql') return `delete from ${sessionsTable} where ${isOver} limit ?`
  const chosen = `select id from ${sessionsTable} where ${isOver} limit ?`
  return `delete from ${sessionsTable} where id in (${chosen}) and ${isOver}`
}
