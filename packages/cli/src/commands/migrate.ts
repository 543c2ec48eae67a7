import type { SessionStorage } from '@jwt-auth/core'
import type { SqlStorage } from '@jwt-auth/storage-sql'
import type { Result } from '../run-cli.js'
import { UsageError } from '../terminal.js'

/** Creates or updates the schema of the storage, or prints the statements that would. */
export const migrate = async (storage: SessionStorage, isPrint: boolean): Promise<Result> => {
  const schema: Partial<SqlStorage> = storage
  if (schema.migrate === undefined) throw new UsageError('The configured storage has no schema to migrate.')
  const statements = await schema.migrationSql?.()
  if (isPrint) {
    if (statements === undefined) throw new UsageError('The configured storage has no SQL to print.')
    return { text: statements.map((statement) => `${statement};`).join('\n'), json: { statements } }
  }
  await schema.migrate()
  const count = statements?.length
  return {
    text: count === 0 ? 'The schema is up to date.' : 'The schema was migrated.',
    json: { migrated: count !== 0 },
  }
}
