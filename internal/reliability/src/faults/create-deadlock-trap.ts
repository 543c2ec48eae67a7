import type { Knex } from 'knex'
import type { DeadlockTrap } from './deadlock-trap.js'
import { createMariadbTrap } from './mariadb-deadlocks.js'
import { createPostgresTrap } from './postgres-deadlocks.js'

/** Makes the trap for a PostgreSQL or a MariaDB of the test's own. */
export const createDeadlockTrap = (knex: Knex): DeadlockTrap =>
  knex.client.dialect === 'mysql' ? createMariadbTrap(knex) : createPostgresTrap(knex)
