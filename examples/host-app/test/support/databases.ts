import { type FreshDatabase, findDatabases, type Prerequisite } from '@jwt-auth/test-support'

/** A kind of database the host app runs on. */
export interface DatabaseKind extends Prerequisite {
  readonly createDatabase: () => Promise<Pick<FreshDatabase, 'url' | 'drop'>>
}

const keepingNothing = (url: string): DatabaseKind => ({
  name: url,
  createDatabase: async () => ({ url, drop: async () => {} }),
})

/** The quickest, for what no database has a part in. */
export const inMemory = keepingNothing('memory:')

/** Rows with a name in front, for the `%s` of a title. (`$name` would quote and cut them.) */
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
