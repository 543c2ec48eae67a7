import { type CallOptions, type StorageStatus, toStorageStatus } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { dialectOf } from './dialect.js'
import { readSchemaVersions } from './schema-versions.js'
import type { SendStatement } from './send-statement.js'
import { toStorageError } from './storage-error.js'
import type { TableNames } from './table-names.js'
import { createConnectionUser } from './use-connection.js'

const noTables = { schemaVersion: 0, oldestCompatible: 0 }

/** The schema of a storage, as this code knows it. */
interface KnownSchema {
  readonly names: TableNames
  readonly knownVersion: number
}

/** Makes the function that reads the status of a storage, within the deadline of its caller. */
export const createStatusReader = (
  knex: Knex,
  sendStatement: SendStatement,
  { names, knownVersion }: KnownSchema,
): ((options?: CallOptions) => Promise<StorageStatus>) => {
  const dialect = dialectOf(knex)
  const useConnection = createConnectionUser(knex)
  return async ({ signal } = {}) => {
    const run = (sql: string) => useConnection(signal, (connection) => sendStatement(connection, { sql, values: [] }))
    try {
      return toStorageStatus((await readSchemaVersions(run, names, dialect)) ?? noTables, knownVersion)
    } catch (thrown) {
      const error = toStorageError('read the schema version', thrown)
      return { isReachable: false, isReady: false, knownVersion, error }
    }
  }
}
