import type { CallOptions, RunInTime, System } from '../system.js'

/** The two numbers that a storage keeps about its schema. Both are 0 before the first migration. */
export interface SchemaVersions {
  /** The version of the newest migration that ran. */
  readonly schemaVersion: number
  /** Code can use the storage if it knows this schema version or a later one. */
  readonly oldestCompatible: number
}

/** The status of a storage that returned its schema version. */
export interface ReachableStatus extends SchemaVersions {
  /** The storage returned its schema version. */
  readonly isReachable: true
  /** Whether the service can use the storage: it is compatible, and no migration is needed. */
  readonly isReady: boolean
  /** The schema version that this code knows. */
  readonly knownVersion: number
  /** Whether the schema is older than this code. Call `migrate()` of the storage. */
  readonly isMigrationNeeded: boolean
  /** Whether this code knows the oldest compatible version. If not, deploy the newer package. */
  readonly isCompatible: boolean
}

/** The status of a storage that did not return its schema version. */
export interface UnreachableStatus {
  /** The storage did not return its schema version. */
  readonly isReachable: false
  /** The service cannot use the storage. */
  readonly isReady: false
  /** The schema version that this code knows. */
  readonly knownVersion: number
  /** Why the storage did not return its schema version. Contains no bound value, so that you can log it. */
  readonly error: Error
}

/** Whether the service can use a storage, for health checks and deployments. */
export type StorageStatus = ReachableStatus | UnreachableStatus

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
