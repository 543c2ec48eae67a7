import { type HashingOptions, optionError, type RehashOptions, readText } from '@jwt-auth/core'

/** The columns of the host's table of users. */
export interface UserColumns {
  readonly id: string
  /**
   * The name a user logs in with, in its canonical form (see `canonicalUsername` in core) or in another: a user whose name is
   * stored as `Ann` logs in as `Ann` alone, one whose name is stored as `ann` in any spelling. Unique.
   */
  readonly username: string
  readonly passwordHash: string
  readonly email: string
  readonly nicename: string
  readonly displayName: string
  readonly link?: string | undefined
  /** A column that is true (or not zero) for users who may not log in. @default nobody is disabled */
  readonly disabled?: string | undefined
  /** A column that changes with the password. @default derived from the password hash */
  readonly credentialVersion?: string | undefined
}

/** How `knexUsers` reads the host's table, and checks the hashes in it. */
export interface KnexUsersOptions extends HashingOptions {
  readonly table: string
  readonly columns: UserColumns
  /** What the ids are in tokens and answers: PostgreSQL's driver gives `bigint` columns as text. @default 'integer' */
  readonly idType?: 'integer' | 'text' | undefined
  /**
   * Whether hashes of an old kind, or of too little work, are replaced when their users log in; the one thing that is ever
   * written to the table. Needs `columns.credentialVersion`, and whatever else reads the table must know the new kind.
   * `onError` hears of what could not be replaced. @default false
   */
  readonly rehash?: boolean | Pick<RehashOptions, 'onError'> | undefined
}

const requiredColumns = ['id', 'username', 'passwordHash', 'email', 'nicename', 'displayName'] as const

/** Checks what `passwordUsers` of core does not check. Throws a `TypeError` that names the option. */
export const checkKnexUsersOptions = ({ table, columns, idType, rehash }: KnexUsersOptions): void => {
  readText('knexUsers.table', table, "the name of the host's table of users")
  for (const field of requiredColumns) readText(`knexUsers.columns.${field}`, columns?.[field], 'the name of a column')
  if (idType !== undefined && idType !== 'integer' && idType !== 'text') {
    throw optionError('knexUsers.idType', "'integer' or 'text'", idType)
  }
  if (rehash !== undefined && typeof rehash !== 'boolean' && (typeof rehash !== 'object' || rehash === null)) {
    throw optionError('knexUsers.rehash', 'true, false or { onError }', rehash)
  }
  if (rehash && columns.credentialVersion === undefined) {
    // A version derived from the hash would change with it, and end all sessions of the user.
    throw optionError('knexUsers.columns.credentialVersion', 'the name of a column where `rehash` is set', undefined)
  }
}
