import type { DialectName } from './sql-executor.js'
import { numberMarks, repeat } from './statements.js'
import type { TableNames } from './table-names.js'

/**
 * Writes the SQL of the counts for a database. A function returns the statement for a number of
 * rows.
 */
export const writeLimitStatements = ({ limits }: TableNames, dialect: DialectName) => {
  const isMysql = dialect === 'mysql'
  const finish = (text: string): string => (dialect === 'postgresql' ? numberMarks(text) : text)
  // In the SQL below, `held` is the existing row and `given` the row that was to be inserted.
  const upsert = (row: string, count: number, changes: string): string => {
    const insert = `insert into ${limits}${isMysql ? '' : ' as held'} (id, attempts, ends_at) values ${repeat(row, count)}`
    return isMysql
      ? `${insert} on duplicate key update ${changes.replaceAll('held.', '').replaceAll(/given\.(\w+)/g, 'values($1)')}`
      : `${insert} on conflict (id) do update set ${changes.replaceAll('given.', 'excluded.')}`
  }
  const reserve = (count: number): string => upsert('(?, 1, ?)', count, reserveChanges)
  const markedUntil = `(select mark.ends_at from ${limits} mark where mark.id = ?) as marked_until`
  const columns = `id, attempts, ends_at, ${markedUntil}`
  return {
    /**
     * Adds one attempt to each count. Values: the id and the end of a new window of each, and the
     * present instant twice.
     */
    reserve: (count: number) => finish(reserve(count)),
    /** The same. Returns the rows, and the end of the mark whose id is the last value. */
    reserveAndReturn: (count: number) => finish(`${reserve(count)} returning ${columns}`),
    /** Selects counts, and the end of the mark whose id is the first value. */
    select: (count: number) => finish(`select ${columns} from ${limits} where id in (${repeat('?', count)})`),
    /**
     * Takes one attempt back from counts, and sets marks. Values of a count: id, 0, and the end of
     * its window. Values of a mark: id, 1, and its end.
     */
    refund: (count: number) => finish(upsert('(?, ?, ?)', count, refundChanges)),
    /**
     * Deletes rows that ended before an instant. PostgreSQL notices a deadlock only after a second:
     * there, the statement waits for no row.
     */
    deleteEnded: finish(
      isMysql
        ? `delete from ${limits} where ends_at < ? limit ${maxDeleted}`
        : `delete from ${limits} where id in (select id from ${limits} where ends_at < ? limit ${maxDeleted}${dialect === 'postgresql' ? ' for update skip locked' : ''})`,
    ),
  }
}

/** The SQL of the counts. */
export type LimitStatements = ReturnType<typeof writeLimitStatements>

// More than the calls between two deletions add. SQLite deletes on the main thread.
const maxDeleted = 1_000

// MySQL assigns from left to right: the second assignment would otherwise change what the first one
// reads.
const reserveChanges = `
  attempts = case when held.ends_at <= ? then 1 else held.attempts + 1 end,
  ends_at = case when held.ends_at <= ? then given.ends_at else held.ends_at end`

const refundChanges = `
  ends_at = case
    when given.attempts = 1 and given.ends_at > held.ends_at then given.ends_at
    when given.attempts = 0 and held.ends_at = given.ends_at and held.attempts <= 1 then 0
    else held.ends_at end,
  attempts = case when given.attempts = 0 and held.ends_at in (given.ends_at, 0) and held.attempts > 0 then held.attempts - 1 else held.attempts end`
