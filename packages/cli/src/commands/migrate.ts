import type { SessionStorage } from '@jwt-auth/core'
import { type Result, UsageError } from '../terminal.js'

/** The methods of a storage with a schema. */
interface SchemaMethods extends SessionStorage {
  readonly migrate?: () => Promise<void>
  readonly migrationSql?: () => Promise<readonly string[]>
}

const upToDate = 'The schema is up to date.'

/**
 * Creates or updates the schema of the storage, or prints the statements that would.
 *
 * @throws Error if a column is missing that no migration adds
 */
export const migrate = async (storage: SessionStorage, isPrint: boolean): Promise<Result> => {
  const schema: SchemaMethods = storage
  if (schema.migrate === undefined) throw new UsageError('The configured storage has no schema to migrate.')
  const statements = await schema.migrationSql?.()
  const status = statements?.length === 0 ? await storage.status?.() : undefined
  if (status?.isReachable === false) throw status.error
  if (isPrint) {
    if (statements === undefined) throw new UsageError('The configured storage has no SQL to print.')
    const text = statements.map((statement) => `${statement};`).join('\n')
    return { text: text || `-- ${upToDate}`, json: { statements } }
  }
  await schema.migrate()
  const isCurrent = statements?.length === 0
  const text = isCurrent ? upToDate : 'The schema was migrated.'
  return { text, json: { migrated: !isCurrent } }
}
