import { columns } from './session-row.js'
import type { DialectName, SqlValue } from './sql-executor.js'
import type { TableNames } from './table-names.js'

const list = columns.join(', ')
/** Returns a list of equal parts, such as placeholders. */
export const repeat = (text: string, count: number): string => new Array(count).fill(text).join(', ')

/**
 * Writes the SQL for a database. Each change of state is one statement that holds its own
 * condition. `purgeable_at` is the earliest of `ended_at`, `absolute_expires_at` and the end of the
 * day of `idle_expires_at`.
 */
export const writeStatements = ({ sessions }: TableNames, dialect: DialectName) => {
  const least = dialect === 'sqlite' ? 'min' : 'least'
  // The plus sign stops SQLite from using the index of users, which also has sessions that ended
  // long ago and usually only one issuer.
  const ofIssuer = dialect === 'sqlite' ? '+issuer = ?' : 'issuer = ?'
  const setEnded = `update ${sessions} set ended_at = ?, end_reason = ?, recent_verifiers = '[]', purgeable_at = ${least}(purgeable_at, ?)`
  const endUnended = `${setEnded} where ended_at is null`
  // MySQL has a limit for an update or a delete and none for its subquery. The other databases
  // support a limit only in the subquery. The outer condition excludes a session that a refresh
  // changed after the subquery. Instances that clean up concurrently on PostgreSQL skip each
  // other's rows. A statement that must not miss a row waits for the row instead.
  const limited = (change: string, condition: string, lock = 'for update skip locked'): string => {
    if (dialect === 'mysql') return `${change} where ${condition} limit ?`
    const chosen = `select id from ${sessions} where ${condition} limit ?`
    // PostgreSQL runs the query of an array once. It may run the query after `in` again for each
    // row, and get other rows each time.
    return dialect === 'postgresql'
      ? `${change} where id = any(array(${chosen} ${lock})) and ${condition}`
      : `${change} where id in (${chosen}) and ${condition}`
  }
  const select = (where: string): string => `select ${list} from ${sessions} ${where}`
  // MySQL skips the write, its log and the wait for a replica when no value changes. A space behind
  // the JSON, added and removed in turn, changes the row even when a rotation confirms the present
  // state.
  const recent = dialect === 'mysql' ? "concat(?, if(right(recent_verifiers, 1) = ' ', '', ' '))" : '?'
  const statements = {
    /** Inserts a session. */
    insert: `insert into ${sessions} (${list}, purgeable_at) values (${repeat('?', columns.length + 1)})`,
    /** Selects the session of a selector hash. */
    selectBySelector: select('where selector_hash = ?'),
    /** Writes a rotation if the verifier hash is the expected one and the session has not ended. */
    rotate: `update ${sessions} set verifier_hash = ?, recent_verifiers = ${recent}, rotated_at = ?, last_used_at = ?, idle_expires_at = ?, last_user_agent = ?, last_ip_address = ?, purgeable_at = ${least}(?, absolute_expires_at) where id = ? and verifier_hash = ? and ended_at is null`,
    /** Ends a session that has not ended. */
    end: `${endUnended} and id = ?`,
    /**
     * Selects the end of a session. On PostgreSQL, the row lock makes this select wait until the
     * standby has confirmed the end that the select returns. Without the lock, a second caller
     * would receive the end before the standby has it.
     */
    selectEnding: `select ended_at, end_reason from ${sessions} where id = ?${dialect === 'postgresql' ? ' for update' : ''}`,
    /** Ends the sessions of a user that have not ended. */
    endAll: `${endUnended} and issuer = ? and user_id = ?`,
    /**
     * Selects the sessions of a user that have not ended and, at an instant, have not expired,
     * newest first.
     */
    selectUnended: select(
      'where issuer = ? and user_id = ? and ended_at is null and idle_expires_at > ? and absolute_expires_at > ? order by created_at desc limit ?',
    ),
    /** Selects the ended sessions of a user, latest end first. */
    selectEnded: select('where issuer = ? and user_id = ? and ended_at is not null order by ended_at desc limit ?'),
    /** Selects the sessions after an id, in the order of their ids. */
    selectPage: select('where id > ? order by id limit ?'),
    /**
     * Ends the active sessions of an issuer created before an instant. Its last values are the
     * result of {@link bindLimited}.
     */
    endCreatedBefore: limited(
      setEnded,
      `ended_at is null and purgeable_at > ? and idle_expires_at > ? and ${ofIssuer} and created_at < ?`,
      'for update',
    ),
    /**
     * Deletes the sessions that had ended or expired at an instant. Its values are the result of
     * {@link bindLimited}.
     */
    deleteExpired: limited(`delete from ${sessions}`, 'purgeable_at <= ?'),
  }
  return {
    ...(dialect === 'postgresql' ? numberAllMarks(statements) : statements),
    /** Returns the select for a number of ids. Its values are the result of {@link bindIds}. */
    selectByIds: writeSelectByIds(select, dialect),
  }
}

/** The SQL of the operations, with the placeholders of the database for bound values. */
export type Statements = ReturnType<typeof writeStatements>

const numberAllMarks = <Name extends string>(statements: Record<Name, string>): Record<Name, string> => {
  const numbered = { ...statements }
  for (const name in statements) numbered[name] = numberMarks(statements[name])
  return numbered
}

/** Replaces the marks `?` by PostgreSQL's marks `$1`, `$2` and so on. */
export const numberMarks = (text: string): string => {
  let number = 0
  return text.replaceAll('?', () => {
    number += 1
    return `$${number}`
  })
}

const writeSelectByIds = (select: (where: string) => string, dialect: DialectName): ((count: number) => string) => {
  if (dialect === 'postgresql') {
    const text = numberMarks(select('where id = any(?::text[])'))
    return () => text
  }
  const texts = new Map<number, string>()
  return (count) => {
    const size = toListSize(count)
    const text = texts.get(size) ?? select(`where id in (${repeat('?', size)})`)
    texts.set(size, text)
    return text
  }
}

/**
 * Returns the values of {@link Statements.selectByIds}: one array on PostgreSQL, elsewhere the ids,
 * with the last one repeated.
 */
export const bindIds = (ids: readonly string[], dialect: DialectName): readonly SqlValue[] =>
  dialect === 'postgresql'
    ? [toArrayText(ids)]
    : [...ids, ...new Array(toListSize(ids.length) - ids.length).fill(ids.at(-1))]

// The text of an array needs no support for arrays in the SQL client (PostgreSQL, section "Array
// Input and Output Syntax").
const toArrayText = (ids: readonly string[]): string =>
  `{${ids.map((id) => `"${id.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

// Powers of two keep the number of different statements low.
const toListSize = (count: number): number => 2 ** Math.ceil(Math.log2(count))

/**
 * Returns the values of a limited statement: the conditions and the limit, then on all databases
 * but MySQL the conditions again.
 */
export const bindLimited = (
  conditions: readonly SqlValue[],
  limit: number,
  dialect: DialectName,
): readonly SqlValue[] => (dialect === 'mysql' ? [...conditions, limit] : [...conditions, limit, ...conditions])
