import { type SqlStorage, sqlStorage } from '@jwt-auth/storage-sql'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'

/** Connects Drizzle. */
export const connectDrizzle = (pool: pg.Pool) => drizzle(pool)

/**
 * Creates session storage on the connections of Drizzle. Drizzle runs on a driver and exposes it as `$client`: `pg` and `postgres`
 * for PostgreSQL, `mysql2` for MySQL and MariaDB. The executor of this driver works here with all its guarantees, so Drizzle needs
 * no executor of its own.
 */
export const drizzleStorage = (database: ReturnType<typeof connectDrizzle>): SqlStorage =>
  sqlStorage(pgExecutor(database.$client))
