import { isMissingColumn, isMissingTable, toDriverMessage, toErrorWithCode } from '@jwt-auth/storage-sql/executor'
import type { TableOfUsers } from './user-columns.js'

/**
 * Converts the failure of `knexUsers` for the application's log. Drops the message and the cause,
 * which may hold bound values: users sometimes type their password as the user name. Names a
 * missing table or column by the option that holds the name.
 */
export const toUsersError = (operation: string, thrown: unknown, names: TableOfUsers): Error =>
  toErrorWithCode(`knexUsers could not ${operation}`, thrown, adviseOnUsersTable(thrown, names))

const adviseOnUsersTable = (thrown: unknown, { table, columns, extraColumns = {} }: TableOfUsers): string => {
  const message = toDriverMessage(thrown)
  const [, sqliteTable] = /^(?:SQLITE_ERROR: )?no such table: (.+)$/.exec(message) ?? []
  const isUsersTable = sqliteTable === undefined || sqliteTable === table || sqliteTable.endsWith(`.${table}`)
  if (isMissingTable(thrown) && isUsersTable) {
    return `; the table \`${table}\` does not exist: correct the option \`table\` or create the table`
  }
  if (!isMissingColumn(thrown)) return ''
  const missing = missingColumnMessages.map((form) => form.exec(message)?.[1]).find((column) => column !== undefined)
  // Only names from the options are repeated. The rest of the message may hold bound values.
  const options = Object.entries({ columns, extraColumns }).flatMap(([option, names]) =>
    Object.entries(names).flatMap(([field, column]) => (column === missing ? `\`${option}.${field}\`` : [])),
  )
  return options.length === 0
    ? `; a column is missing: compare the option \`columns\` with the table \`${table}\``
    : `; the table \`${table}\` has no column \`${missing}\`: correct the option ${options.join(' and ')}`
}

// PostgreSQL and MySQL may write messages in other languages. Then the error has the code and no
// column.
const missingColumnMessages = [
  /^(?:SQLITE_ERROR: )?no such column: (.+)$/,
  /^(?:SQLITE_ERROR: )?table .+ has no column named (.+)$/,
  /^column "?(.+?)"? does not exist$/,
  /^Unknown column '(.+)' in /,
]
