import { setupError } from '@jwt-auth/core/internal'
import type { StoredUser } from '@jwt-auth/passwords'
import { toCode } from '@jwt-auth/storage-sql/internal'

/** Finds the users whose name equals one of these names by the column's collation. */
export type FindUsersNamed = (usernames: readonly string[]) => Promise<readonly StoredUser[]>

/**
 * Finds the user of a name: first the user whose stored name is the name as it was sent, then the
 * user whose stored name is the canonical form. Resolves to `undefined` when there is neither.
 * Compares the users of the database once more, exactly: the column's collation may match `Ann`,
 * `änn` and `ann ` for `ann`.
 */
export const findByUsername = async (
  findUsers: FindUsersNamed,
  { canonical, asSent }: { readonly canonical: string; readonly asSent: string },
): Promise<StoredUser | undefined> => {
  const users = await findEncodable(findUsers, [...new Set([canonical, asSent])])
  return findExactly(users, asSent) ?? findExactly(users, canonical)
}

const findExactly = (users: readonly StoredUser[], name: string): StoredUser | undefined => {
  const [user, another] = users.filter(({ username }) => username === name)
  if (another === undefined) return user
  throw setupError(
    'knexUsers found several users of one name; the column of user names must be unique, or the option `where` must exclude all but one.',
  )
}

// The codes of MySQL, MariaDB and PostgreSQL for text that the character set of a column or a
// database cannot encode, and of PostgreSQL for text that is no number of a column of numbers.
const notEncodable: ReadonlySet<string> = new Set([
  'ER_CANT_AGGREGATE_2COLLATIONS',
  'ER_CANT_AGGREGATE_3COLLATIONS',
  'ER_CANT_AGGREGATE_NCOLLATIONS',
  'ER_CANNOT_CONVERT_STRING',
  '22P05',
  '22P02',
  '22003',
])

// No row holds a name that cannot be encoded. The canonical name comes first, so the second call
// still looks for it.
const findEncodable = async (find: FindUsersNamed, names: readonly string[]): Promise<readonly StoredUser[]> => {
  try {
    return await find(names)
  } catch (error) {
    if (!notEncodable.has(toCode(error))) throw error
    return names.length > 1 ? findEncodable(find, names.slice(0, 1)) : []
  }
}
