import type { ReachableStatus, SchemaVersions, StorageStatus } from '../ports/storage-status.js'
import type { CallOptions, RunInTime, System } from '../system.js'

/** Compares the versions that a storage keeps with the version that this code knows. For adapters. */
export const toStorageStatus = (found: SchemaVersions, knownVersion: number): ReachableStatus => {
  const isMigrationNeeded = found.schemaVersion < knownVersion
  const isCompatible = found.oldestCompatible <= knownVersion
  return {
    isReachable: true,
    isReady: isCompatible && !isMigrationNeeded,
    schemaVersion: found.schemaVersion,
    oldestCompatible: found.oldestCompatible,
    knownVersion,
    isMigrationNeeded,
    isCompatible,
  }
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

/**
 * Creates the check that precedes the calls of a service to its storage. The first call asks for the storage's status. The check
 * returns a promise while it waits for the status, rejects while the schema is incompatible, and does nothing once the schema is
 * compatible.
 *
 * If the status is unavailable, the calls go on, because they may succeed: on a cluster, another node serves them
 * (docs/design/sql.md).
 */
export const createSchemaCheck = (
  getStatus: (options: CallOptions) => Promise<StorageStatus>,
  { runInTime, now }: { readonly runInTime: RunInTime; readonly now: System['now'] },
): (() => Promise<void> | undefined) => {
  let isDone = false
  let askAgainAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const ask = async (): Promise<void> => {
    const status = await runInTime(async (getSignal) => getStatus({ signal: getSignal() })).catch(() => undefined)
    if (status?.isReachable) {
      requireCompatibleSchema(status)
      isDone = true
    } else {
      askAgainAt = now() + retryAfterMs
    }
  }

  return () => {
    if (isDone || now() < askAgainAt) return undefined
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}
