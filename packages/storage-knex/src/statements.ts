import { type DialectName, packRows } from './dialect.js'
import type { StatementValue } from './send-statement.js'
import { columns } from './session-row.js'
import type { TableNames } from './table-names.js'

/** The SQL of every operation, written once. `?` stands for a bound value. */
export interface Statements {
  readonly insert: string
  /** Takes what {@link bindIds} makes of the ids. */
  readonly selectByIds: (count: number) => string
  readonly selectBySelector: string
  readonly rotate: string
  readonly end: string
  readonly selectEnding: string
  readonly endAll: string
  readonly selectActive: string
  readonly deleteExpired: string
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
  // Of rows in any order.
  const select = (where: string): string =>
    dialect === 'sqlite' ? packRows(columns, `from ${sessions} ${where}`) : `select ${list} from ${sessions} ${where}`
  return {
    insert: `insert into ${sessions} (${list}, over_at) values (${marks(columns.length + 1)})`,
    selectByIds: writeSelectByIds(select, dialect),
    selectBySelector: select('where selector_hash = ?'),
    rotate: `update ${sessions} set verifier_hash = ?, recent_verifiers = ?, rotated_at = ?, last_used_at = ?, idle_expires_at = ?, over_at = ${least}(?, absolute_expires_at) where id = ? and verifier_hash = ? and ended_at is null`,
    end: `${endUnended} and id = ?`,
    selectEnding: `select ended_at, end_reason from ${sessions} where id = ?`,
    endAll: `${endUnended} and issuer = ? and user_id = ?`,
    selectActive: `select ${list} from ${sessions} where issuer = ? and user_id = ? and ended_at is null and idle_expires_at > ? and absolute_expires_at > ? order by created_at desc limit ?`,
    deleteExpired: writeDeleteExpired(sessions, dialect),
  }
}

const writeSelectByIds = (select: (where: string) => string, dialect: DialectName): ((count: number) => string) => {
  if (dialect === 'postgresql') {
    const text = select('where id = any(?)')
    return () => text
  }
  const texts = new Map<number, string>()
  return (count) => {
    const places = countPlaces(count)
    const text = texts.get(places) ?? select(`where id in (${marks(places)})`)
    texts.set(places, text)
    return text
  }
}

/** The ids as they are bound: in one array on PostgreSQL, elsewhere one by one, the last one repeated. */
export const bindIds = (ids: readonly string[], dialect: DialectName): readonly StatementValue[] =>
  dialect === 'postgresql' ? [ids] : [...ids, ...new Array(countPlaces(ids.length) - ids.length).fill(ids.at(-1))]

// A power of two: few texts for batches of all sizes.
const countPlaces = (count: number): number => 2 ** Math.ceil(Math.log2(count))

// MySQL limits a delete itself and no subquery of it; the others the other way round. Repeating the condition outside keeps
// a session that a refresh moved in between; instances that clean up at once skip each other's rows.
const writeDeleteExpired = (sessions: string, dialect: DialectName): string => {
  if (dialect === 'mysql') return `delete from ${sessions} where over_at <= ? limit ?`
  const skip = dialect === 'postgresql' ? ' for update skip locked' : ''
  const chosen = `select id from ${sessions} where over_at <= ? limit ?${skip}`
  return `delete from ${sessions} where id in (${chosen}) and over_at <= ?`
}
