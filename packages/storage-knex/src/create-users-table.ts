import { isPromise, readFunction, readOptions, usageError } from '@jwt-auth/core/internal'
import { readIdentifier } from '@jwt-auth/storage-sql/internal'
import type { Knex } from 'knex'
import { requireKnex } from './dialect.js'
import { knexUsers } from './knex-users.js'
import { withMigrationLock } from './migration-lock.js'
import { defaultColumns, defaultTable } from './user-columns.js'

/** The options of {@link createUsersTable}. `undefined` means the same as omitting an option. */
interface CreateUsersTableOptions {
  /**
   * The name of the table: 1 to 40 letters, digits and `_`, not starting with a digit.
   * @default 'users'
   */
  readonly table?: string | undefined
  /**
   * Adds columns of your own to a new table, with the schema builder of knex.
   *
   * @default none
   * @example
   * ```ts
   * await createUsersTable(knex, {
   *   addColumns: (columns) => columns.string('role', 20).notNullable().defaultTo('member'),
   * })
   * ```
   */
  readonly addColumns?: ((columns: Knex.CreateTableBuilder) => unknown) | undefined
}

/**
 * Creates a table of users for a new application, with the columns that {@link knexUsers} expects
 * by default. Call it at each start: it does nothing when the table exists. Several processes may
 * call it concurrently. Later changes of the table are up to your migrations.
 *
 * The columns are `id` (an integer that is never used twice), `username` (unique, compared byte for
 * byte), `password_hash` (null for a user without a password), `email`, `display_name` (null, or
 * text), `disabled` (false by default) and `credential_version` (random text that you set at the
 * sign-up and with each new password).
 *
 * @throws Error that names the missing column, when a table of this name has other columns
 *
 * @example
 * ```ts
 * await createUsersTable(knex)
 * await knex('users').insert({
 *   username: canonicalUsername(name),
 *   email,
 *   password_hash: await hashPassword(password),
 *   credential_version: randomUUID(),
 * })
 * const users = knexUsers(knex)
 * ```
 */
export const createUsersTable = async (knex: Knex, options: CreateUsersTableOptions = {}): Promise<void> => {
  requireKnex('createUsersTable', knex)
  const readers = {
    table: (name: string, table: string = defaultTable) => readIdentifier(name, table),
    addColumns: readFunction<CreateUsersTableOptions['addColumns']>,
  }
  const { table, addColumns } = readOptions('createUsersTable', options, readers, { prefix: 'createUsersTable.' })
  // Looks for the table without the lock first: the database user of a service may have no right to
  // change the schema.
  if (!(await knex.schema.hasTable(table))) {
    await withMigrationLock(knex, `createUsersTable of ${table}`, async (transaction) => {
      if (await transaction.schema.hasTable(table)) return
      await transaction.schema.createTable(table, (columns) => {
        addDefaultColumns(columns, knex.client.dialect === 'mysql')
        if (!isPromise(addColumns?.(columns))) return
        throw usageError(
          'createUsersTable',
          'createUsersTable: `addColumns` must not be async, because knex builds the columns synchronously; remove `async`, and await what it needs before the call.',
        )
      })
    })
  }
  await knexUsers(knex, { table }).check()
}

const addDefaultColumns = (columns: Knex.CreateTableBuilder, isMysql: boolean): void => {
  if (isMysql) columns.charset('utf8mb4')
  columns.increments(defaultColumns.id)
  // The usual collations of MySQL take `ann` and `änn` for one name. MySQL commits each change of
  // the schema, so `unique` must be part of the statement that creates the table.
  const collation = isMysql ? ' collate utf8mb4_bin' : ''
  columns.specificType(defaultColumns.username, `varchar(255)${collation} unique`).notNullable()
  columns.string(defaultColumns.passwordHash, 255)
  columns.string(defaultColumns.email, 255).notNullable()
  columns.string(defaultColumns.displayName, 255)
  columns.boolean(defaultColumns.disabled).notNullable().defaultTo(false)
  columns.string(defaultColumns.credentialVersion, 64).notNullable()
}
