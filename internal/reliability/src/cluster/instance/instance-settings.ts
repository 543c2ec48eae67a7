import type { JwtAuthOptions } from '@jwt-auth/express'
import type { DefectName } from '../../defects.js'

/** The framework of an instance. */
export type FrameworkName = 'express5' | 'express4' | 'node:http'

/** The settings of an instance. */
export interface InstanceSettings {
  /**
   * `sqlite:FILE`, `postgres://…`, `mysql://…` or `redis://…`. The URL of Redis may have
   * `?prefix=…` for the names of keys, or `?cluster=PORT,PORT,…` for the nodes of a cluster.
   */
  readonly storageUrl: string
  /** @default 'express5' */
  readonly framework?: FrameworkName
  /** The greatest number of connections to the database. SQLite and Redis have one. @default 10 */
  readonly poolSize?: number
  /**
   * The limit for opening a connection, in milliseconds. Callers wait that long for a connection
   * that was started while the server was down. @default 1000
   */
  readonly connectTimeoutMs?: number
  /** Options of `jwtAuth`. @default none */
  readonly options?: InstanceOptions
  /**
   * The path of a JSON file with the number of password changes of each user.
   * @default passwords never change
   */
  readonly passwordChangesFile?: string
  /** A planted defect. @default none */
  readonly defect?: DefectName
}

/** The options of `jwtAuth` that tests set. */
type InstanceOptions = Pick<JwtAuthOptions, 'maxSessionsPerUser' | 'refreshGraceSeconds' | 'storageTimeoutMs'>
