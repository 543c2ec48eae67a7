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
  /**
   * Whether the service can use the storage: it is compatible, accepts writes, and needs no
   * migration.
   */
  readonly isReady: boolean
  /** The schema version that this code knows. */
  readonly knownVersion: number
  /** Whether the schema is older than this code. Call `migrate()` of the storage. */
  readonly isMigrationNeeded: boolean
  /** Whether this code knows the oldest compatible version. If not, deploy the newer package. */
  readonly isCompatible: boolean
  /**
   * Identifies the server and the database that accept the writes, such as the system identifier
   * and the timeline of PostgreSQL, and the file of SQLite. Another value means a failover, a
   * restore or another server. `undefined` if the identity is unknown.
   */
  readonly primary?: string | undefined
  /**
   * Identifies the tables or the keys of the sessions, at least until the server restarts. Storages
   * that read the same sessions have the same value. `undefined` if the identity is unknown.
   */
  readonly store?: string | undefined
  /** Why the storage accepts no writes. `undefined` if it accepts them, or does not say so. */
  readonly error?: Error | undefined
}

/** The status of a storage that did not return its schema version. */
export interface UnreachableStatus {
  /** The storage did not return its schema version. */
  readonly isReachable: false
  /** The service cannot use the storage. */
  readonly isReady: false
  /** The schema version that this code knows. */
  readonly knownVersion: number
  /**
   * Why the storage did not return its schema version. Contains no bound value, so that you can log
   * it.
   */
  readonly error: Error
}

/** Whether the service can use a storage, for health checks and deployments. */
export type StorageStatus = ReachableStatus | UnreachableStatus
