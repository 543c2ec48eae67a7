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
  /** Takes, on databases other than MySQL, the conditions twice around the limit: see {@link writeLimited}. */
  readonly endCreatedBefore: string
  readonly clearRecent: string
  readonly deleteExpired: string
}

const list = columns.join(', ')
const marks = (count: number): string => new Array(count).fill('?').join(', ')

/**
 * Writes the SQL for a database. Each state change is one statement that repeats its own condition. `expires_at` is the earliest
 * of a session's ends, and `clearable_at` is `rotated_at` if there are recent verifiers, so that each clean-up needs one index.
 */
export const writeStatements = ({ sessions }: TableNames, dialect: DialectName): Statements => {
  const least = dialect === 'sqlite' ? 'min' : 'least'
  // The plus sign keeps SQLite from the index of users, which has rows that ended long ago and nearly always one issuer.
  const ofIssuer = dialect === 'sqlite' ? '+issuer = ?' : 'issuer = ?'
  const setEnded = `update ${sessions} set ended_at = ?, end_reason = ?, expires_at = ${least}(expires_at, ?)`
  const endUnended = `${setEnded} where ended_at is null`
  const limited = (change: string, condition: string, lock?: string): string =>
    writeLimited(sessions, dialect, { change, condition, lock })
  // Of rows in any order.
  const select = (where: string): string =>
    dialect === 'sqlite' ? packRows(columns, `from ${sessions} ${where}`) : `select ${list} from ${sessions} ${where}`
  return {
    insert: `insert into ${sessions} (${list}, expires_at, clearable_at) values (${marks(columns.length + 2)})`,
    selectByIds: writeSelectByIds(select, dialect),
    selectBySelector: select('where selector_hash = ?'),
    rotate: `update ${sessions} set verifier_hash = ?, recent_verifiers = ?, clearable_at = ?, rotated_at = ?, last_used_at = ?, idle_expires_at = ?, last_user_agent = ?, last_ip_address = ?, expires_at = ${least}(?, absolute_expires_at) where id = ? and verifier_hash = ? and ended_at is null`,
    end: `${endUnended} and id = ?`,
    // On PostgreSQL, the lock makes the statement wait for the standby like the end that it finds: a caller that was not told of this end
    // must not hear of it before the standby has it.
    selectEnding: `select ended_at, end_reason from ${sessions} where id = ?${dialect === 'postgresql' ? ' for update' : ''}`,
    endAll: `${endUnended} and issuer = ? and user_id = ?`,
    selectActive: `select ${list} from ${sessions} where issuer = ? and user_id = ? and ended_at is null and idle_expires_at > ? and absolute_expires_at > ? order by created_at desc limit ?`,
    endCreatedBefore: limited(
      setEnded,
      `ended_at is null and expires_at > ? and ${ofIssuer} and created_at < ?`,
      'for update',
    ),
    clearRecent: limited(`update ${sessions} set recent_verifiers = '[]', clearable_at = null`, 'clearable_at <= ?'),
    deleteExpired: limited(`delete from ${sessions}`, 'expires_at <= ?'),
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

// MySQL limits an update and a delete themselves and no subquery of them; the others the other way round. Repeating the condition
// outside keeps a session that a refresh moved in between. Instances that clean up concurrently on PostgreSQL skip each other's rows;
// what must not miss a row waits for it instead.
const writeLimited = (
  sessions: string,
  dialect: DialectName,
  {
    change,
    condition,
    lock = 'for update skip locked',
  }: { readonly change: string; readonly condition: string; readonly lock: string | undefined },
): string => {
  if (dialect === 'mysql') return `${change} where ${condition} limit ?`
  const chosen = `select id from ${sessions} where ${condition} limit ?`
  // PostgreSQL runs an array's query once. It may run one behind `in` again for each row, each time with further rows.
  return dialect === 'postgresql'
    ? `${change} where id = any(array(${chosen} ${lock})) and ${condition}`
    : `${change} where id in (${chosen}) and ${condition}`
}

/** The values of a limited statement: on MySQL its conditions and the limit, elsewhere the conditions once more. */
export const bindLimited = (
  conditions: readonly StatementValue[],
  limit: number,
  dialect: DialectName,
): readonly StatementValue[] => (dialect === 'mysql' ? [...conditions, limit] : [...conditions, limit, ...conditions])
