import type { DialectName } from './dialect.js'
import { columns } from './session-row.js'
import type { TableNames } from './table-names.js'

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

/**
 * Writes the SQL for a database. Each state change is one statement that repeats its own condition. `over_at` is the earliest
 * of a session's ends, kept so that clean-up needs one index.
 */
export const writeStatements = ({ sessions }: TableNames, dialect: DialectName): Statements => {
  const least = dialect === 'sqlite' ? 'min' : 'least'
  const endUnended = `update ${sessions} set ended_at = ?, end_reason = ?, over_at = ${least}(over_at, ?) where ended_at is null`
  const rotate = (more: string): string =>
    `update ${sessions} set verifier_hash = ?, recent_verifiers = ?, rotated_at = ?, last_used_at = ?, idle_expires_at = ?, over_at = ${least}(?, absolute_expires_at)${more} where id = ? and verifier_hash = ? and ended_at is null`
  return {
    insert: `insert into ${sessions} (${list}, over_at) values (${marks(columns.length + 1)})`,
    selectByIds: (count) => `select ${list} from ${sessions} where id in (${marks(count)})`,
    selectBySelector: `select ${list} from ${sessions} where selector_hash = ?`,
    rotate: rotate(''),
    rotateWithVersion: rotate(', credential_version = ?'),
    end: `${endUnended} and id = ?`,
    selectEnding: `select ended_at, end_reason from ${sessions} where id = ?`,
    endAll: `${endUnended} and user_id = ?`,
    endAllButOne: `${endUnended} and user_id = ? and id <> ?`,
    selectLive: `select ${list} from ${sessions} where user_id = ? and ended_at is null and idle_expires_at > ? and absolute_expires_at > ? order by created_at desc, id desc`,
    deleteOver: writeDeleteOver(sessions, dialect),
  }
}

// MySQL limits a delete itself and no subquery of it; the others the other way round. Repeating the condition outside keeps
// a session that a refresh moved in between; instances that clean up at once skip each other's rows.
const writeDeleteOver = (sessions: string, dialect: DialectName): string => {
  if (dialect === 'mysql') return `delete from ${sessions} where over_at <= ? limit ?`
  const skip = dialect === 'postgresql' ? ' for update skip locked' : ''
  const chosen = `select id from ${sessions} where over_at <= ? limit ?${skip}`
  return `delete from ${sessions} where id in (${chosen}) and over_at <= ?`
}
