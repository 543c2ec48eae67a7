import {
  findMissingColumn,
  isMissingColumn,
  isMissingTable,
  toDriverMessage,
  toErrorWithCode,
} from '@jwt-auth/storage-sql/internal'
import type { TableOfUsers } from './user-columns.js'

/**
 * Converts the failure of `knexUsers` for the application's log. Drops the message and the cause,
 * which may hold bound values: users sometimes type their password as the user name. Names a
 * missing table or column by the option that holds the name.
 */
export const toUsersError = (operation: string, thrown: unknown, names: TableOfUsers): Error =>
  toErrorWithCode(`knexUsers could not ${operation}`, thrown, adviseOnUsersTable(thrown, names))

const adviseOnUsersTable = (thrown: unknown, { table, columns, extraColumns }: TableOfUsers): string => {
  const [, sqliteTable] = /^(?:SQLITE_ERROR: )?no such table: (.+)$/.exec(toDriverMessage(thrown)) ?? []
  const isUsersTable = sqliteTable === undefined || sqliteTable === table || sqliteTable.endsWith(`.${table}`)
  if (isMissingTable(thrown) && isUsersTable) {
    return `; the table \`${table}\` does not exist: correct the option \`table\` or create the table`
  }
  if (!isMissingColumn(thrown)) return ''
  const missing = findMissingColumn(thrown) ?? ''
  // Only names from the options are repeated. The rest of the message may hold bound values.
  const options = Object.entries({ columns, extraColumns }).flatMap(([option, names]) =>
    Object.entries(names).flatMap(([field, column]) => (column === missing ? `\`${option}.${field}\`` : [])),
  )
  return options.length === 0
    ? `; a column is missing: compare the option \`columns\` with the table \`${table}\``
    : `; the table \`${table}\` has no column \`${missing}\`: correct the option ${options.join(' and ')}`
}
