/** The two numbers that a storage keeps about the form of what it stores. Both are 0 before the first migration. */
export interface SchemaVersions {
  /** The version of the newest migration that ran. */
  readonly schemaVersion: number
  /** The oldest schema version that code must know to use the storage. */
  readonly oldestCompatible: number
}

/** The status of a storage that returned its schema version. */
export interface ReachableStatus extends SchemaVersions {
  /** Whether the storage returned its schema version. */
  readonly isReachable: true
  /** Whether the service can use the storage: it is compatible, and no migration is needed. */
  readonly isReady: boolean
  /** The schema version that this code knows. */
  readonly knownVersion: number
  /** Whether the schema is older than the code: call `migrate()` of the storage. */
  readonly isMigrationNeeded: boolean
  /** Whether this code knows the oldest compatible version. Deploy the newer package if it does not. */
  readonly isCompatible: boolean
}

/** The status of a storage that did not return its schema version. */
export interface UnreachableStatus {
  /** Whether the storage returned its schema version. */
  readonly isReachable: false
  /** Whether the service can use the storage. */
  readonly isReady: false
  /** The schema version that this code knows. */
  readonly knownVersion: number
  /** Why the storage did not return its schema version, without a bound value. For your log. */
  readonly error: Error
}

/** Whether a storage can be used, for health checks and before deployments. */
export type StorageStatus = ReachableStatus | UnreachableStatus

/** Compares the versions found in a storage with the version that the code knows. For adapters. */
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
 * Refuses a schema that this code must not use. For the `migrate()` of adapters.
 *
 * @throws Error that names the versions and the fix when the schema is not compatible
 */
export const requireCompatibleSchema = (status: ReachableStatus): void => {
  if (status.isCompatible) return
  const { schemaVersion, oldestCompatible, knownVersion } = status
  throw new Error(
    `jwt-auth: the schema of the storage has version ${schemaVersion}, which needs code that knows version ${oldestCompatible} or later; this package knows version ${knownVersion}. Deploy the newer package.`,
  )
}
