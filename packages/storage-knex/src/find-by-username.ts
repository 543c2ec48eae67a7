import { setupError } from '@jwt-auth/core'
import { readCode } from './storage-error.js'
import type { UserRow } from './user-row.js'

/** Finds the rows whose user name the database takes for one of these. */
export type FindRowsNamed = (usernames: readonly string[]) => Promise<readonly UserRow[]>

/**
 * Finds the one user of a name: the one that is stored as it was sent, else the one that is stored in the canonical form.
 * The database answers by the column's collation, which may take `Ann`, `änn` and `ann ` for `ann`; so its rows are compared
 * once more, exactly.
 */
export const findByUsername = async (
  findRows: FindRowsNamed,
  { canonical, asSent }: { readonly canonical: string; readonly asSent: string },
): Promise<UserRow | undefined> => {
  const rows = await findExpressible(findRows, [...new Set([canonical, asSent])])
  return findExactly(rows, asSent) ?? findExactly(rows, canonical)
}

const findExactly = (rows: readonly UserRow[], name: string): UserRow | undefined => {
  const [row, another] = rows.filter(({ username }) => username === name)
  if (another === undefined) return row
  throw setupError('knexUsers found several users of one name; the column of user names must be unique.')
}

// How MySQL, MariaDB and PostgreSQL say that a text cannot be written in the character set of a column or a database.
const inexpressible: ReadonlySet<string> = new Set([
  'ER_CANT_AGGREGATE_2COLLATIONS',
  'ER_CANT_AGGREGATE_3COLLATIONS',
  'ER_CANT_AGGREGATE_NCOLLATIONS',
  'ER_CANNOT_CONVERT_STRING',
  '22P05',
])

// No row can hold such a name. The canonical one comes first, and stays when the other can't be written.
const findExpressible = async (findRows: FindRowsNamed, usernames: readonly string[]): Promise<readonly UserRow[]> => {
  try {
    return await findRows(usernames)
  } catch (error) {
    if (!inexpressible.has(readCode(error))) throw error
    return usernames.length > 1 ? findExpressible(findRows, usernames.slice(0, 1)) : []
  }
}
