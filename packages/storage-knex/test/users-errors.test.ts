import { describe, expect, it } from 'vitest'
import { toUsersError } from '../src/users-error.js'

const options = {
  table: 'people',
  columns: { id: 'id', username: 'login', passwordHash: 'hash', email: 'mail', nicename: 'slug', displayName: 'name' },
}
const statement = "select `slug` from `people` where `login` in ('no such column: mail') - "

const messageOf = (code: string, message: string): string =>
  toUsersError('look a user up', Object.assign(new Error(message), { code }), options).message

const generic = '; a column is missing: compare the option `columns` with the table `people`'

describe('the failure of a lookup', () => {
  it.each([
    [
      'SQLITE_ERROR',
      `${statement}no such column: slug`,
      '; the table `people` has no column `slug`: correct the option `columns.nicename`',
    ],
    [
      'SQLITE_ERROR',
      `${statement}SQLITE_ERROR: no such column: slug`,
      '; the table `people` has no column `slug`: correct the option `columns.nicename`',
    ],
    ['SQLITE_ERROR', `${statement}no such column: people.other`, generic],
    [
      'SQLITE_ERROR',
      `${statement}no such table: main.people`,
      '; the table `people` does not exist: correct the option `table` or create the table',
    ],
    ['SQLITE_ERROR', `${statement}no such table: main.behind_a_view`, ''],
    ['SQLITE_ERROR', `${statement}near "in": syntax error`, ''],
    ['42703', `${statement}Spalte »slug« existiert nicht`, generic],
    [
      '42P01',
      `${statement}Relation »people« existiert nicht`,
      '; the table `people` does not exist: correct the option `table` or create the table',
    ],
    [
      'ER_BAD_FIELD_ERROR',
      `${statement}Unknown column 'slug' in 'field list'`,
      '; the table `people` has no column `slug`: correct the option `columns.nicename`',
    ],
    ['ECONNREFUSED', "connect ECONNREFUSED ('no such column: mail')", ''],
  ])('repeats only names from the options, for %s and the message: %s', (code, message, advice) => {
    expect(messageOf(code, message)).toBe(`jwt-auth: knexUsers could not look a user up (${code})${advice}`)
  })
})
