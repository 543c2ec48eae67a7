import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReachableStatus, SchemaVersions, StorageStatus } from '../ports/storage-status.js'
import type { CallOptions, RunInTime, System } from '../system.js'

/**
 * Compares the versions that a storage keeps with the version that this code knows. For adapters.
 *
 * @param found the versions, and the identities of the primary and the store if they are known, and
 * why the storage accepts no writes
 */
export const toStorageStatus = (
  found: SchemaVersions & Pick<ReachableStatus, 'primary' | 'store' | 'error'>,
  knownVersion: number,
): ReachableStatus => {
  const isMigrationNeeded = found.schemaVersion < knownVersion
  const isCompatible = found.oldestCompatible <= knownVersion
  const isReady = isCompatible && !isMigrationNeeded && found.error === undefined
  return { ...found, isReachable: true, isReady, knownVersion, isMigrationNeeded, isCompatible }
}

/**
 * Checks that this code may use a schema. For the `migrate()` of adapters.
 *
 * @throws Error that names the versions and the fix if the schema is not compatible
 */
export const requireCompatibleSchema = (status: ReachableStatus): void => {
  if (status.isCompatible) return
  const { schemaVersion, oldestCompatible, knownVersion } = status
  throw new Error(
    `jwt-auth: the schema of the storage has version ${schemaVersion}, which needs code that knows version ${oldestCompatible} or later; this package knows version ${knownVersion}. Deploy the newer package.`,
  )
}

const retryAfterMs = 5_000

/** What {@link createSchemaCheck} needs of the service. */
export interface SchemaCheckOptions {
  /** The deadline of each call. */
  readonly runInTime: RunInTime
  readonly monotonicMs: System['monotonicMs']
  /** Called with the identities of the primary if they differ at two calls of `status`. */
  readonly onPrimaryChange: (change: { readonly before: string; readonly after: string }) => void
}

/**
 * Creates the check of the status around the calls of a service to its storage. All calls share a
 * status, so it is read in the async context in which the check was created.
 */
export const createSchemaCheck = (
  getStatus: (options: CallOptions) => Promise<StorageStatus>,
  { runInTime, monotonicMs, onPrimaryChange }: SchemaCheckOptions,
) => {
  const runInOwnContext = AsyncLocalStorage.snapshot()
  let [isDone, hasFailed] = [false, false]
  let primary: string | undefined
  let askAgainAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const ask = async (): Promise<void> => {
    const status = await runInTime(async (options) => getStatus(options)).catch(() => undefined)
    // The schema of a running service is not checked again: a migration keeps it usable.
    if (isDone || !status?.isReachable) askAgainAt = monotonicMs() + retryAfterMs
    if (!status?.isReachable) return
    if (!isDone) requireCompatibleSchema(status)
    isDone = true
    hasFailed = false
    const before = primary
    primary = status.primary ?? before
    if (before !== undefined && primary !== undefined && before !== primary) onPrimaryChange({ before, after: primary })
  }

  return {
    /**
     * Returns a promise while the first status is unknown, which rejects if the schema is
     * incompatible. If the status is unavailable, the calls go on, because they may succeed: on a
     * cluster, another node serves them (docs/design/sql.md).
     */
    beforeCall: (): Promise<void> | undefined => {
      if ((isDone && !hasFailed) || monotonicMs() < askAgainAt) return undefined
      const waits = !isDone
      asking ??= runInOwnContext(ask).finally(() => {
        asking = undefined
      })
      return waits ? asking : undefined
    },
    /**
     * Lets the next call ask for the status again, without waiting for it: the primary may be new.
     */
    afterFailure: (): void => {
      hasFailed = true
    },
  }
}
