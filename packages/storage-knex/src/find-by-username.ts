import { setupError } from '@jwt-auth/core/adapter'
import { toCode } from '@jwt-auth/storage-sql/executor'
import type { UserRow } from './user-row.js'

/** Finds the rows whose user name equals one of these names by the column's collation. */
export type FindRowsNamed = (usernames: readonly string[]) => Promise<readonly UserRow[]>

/**
 * Finds the user of a name: first the user whose stored name is the name as it was sent, then the
 * user whose stored name is the canonical form. Resolves to `undefined` when there is neither.
 * Compares the rows of the database once more, exactly: the column's collation may match `Ann`,
 * `änn` and `ann ` for `ann`.
 */
export const findByUsername = async (
  findRows: FindRowsNamed,
  { canonical, asSent }: { readonly canonical: string; readonly asSent: string },
): Promise<UserRow | undefined> => {
  const rows = await findEncodable(findRows, [...new Set([canonical, asSent])])
  return findExactly(rows, asSent) ?? findExactly(rows, canonical)
}

const findExactly = (rows: readonly UserRow[], name: string): UserRow | undefined => {
  const [row, another] = rows.filter(({ username }) => username === name)
  if (another === undefined) return row
  throw setupError('knexUsers found several users of one name; the column of user names must be unique.')
}

// The codes of MySQL, MariaDB and PostgreSQL for text that the character set of a column or a
// database cannot encode.
const notEncodable: ReadonlySet<string> = new Set([
  'ER_CANT_AGGREGATE_2COLLATIONS',
  'ER_CANT_AGGREGATE_3COLLATIONS',
  'ER_CANT_AGGREGATE_NCOLLATIONS',
  'ER_CANNOT_CONVERT_STRING',
  '22P05',
])

// No row holds a name that cannot be encoded. The canonical name comes first, so the second call
// still looks for it.
const findEncodable = async (findRows: FindRowsNamed, usernames: readonly string[]): Promise<readonly UserRow[]> => {
  try {
    return await findRows(usernames)
  } catch (error) {
    if (!notEncodable.has(toCode(error))) throw error
    return usernames.length > 1 ? findEncodable(findRows, usernames.slice(0, 1)) : []
  }
}
