import { type FreshDatabase, findDatabases, type Prerequisite } from '@jwt-auth/test-support'

/** A kind of database that the host app supports. */
export interface DatabaseKind extends Prerequisite {
  readonly createDatabase: () => Promise<Pick<FreshDatabase, 'url' | 'drop'>>
}

const keepingNothing = (url: string): DatabaseKind => ({
  name: url,
  createDatabase: async () => ({ url, drop: async () => {} }),
})

/** The fastest kind, for tests that do not depend on the database. */
export const inMemory = keepingNothing('memory:')

/** Puts the name of each row before it, for the `%s` of a title. (Vitest quotes and cuts `$name`.) */
export const byName = <Row extends { readonly name: string }>(rows: readonly Row[]): (readonly [string, Row])[] =>
  rows.map((row) => [row.name, row] as const)

/** A SQLite file. */
export const inFile: DatabaseKind = {
  name: 'SQLite',
  createDatabase: async () => {
    const [sqlite] = await findDatabases()
    return sqlite.createDatabase()
  },
}
