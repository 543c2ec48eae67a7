import type { Knex } from 'knex'

/** How long the second transaction waits for the first, in milliseconds, before it is said that they never met. */
export const patienceMs = 60_000

/** What takes the second lock: a count of rotations that a trigger keeps. */
export const createAudit: readonly string[] = [
  'drop table if exists rotation_audit',
  'create table rotation_audit (rotations integer not null)',
  'insert into rotation_audit values (0)',
]

/** Takes the lock of the count. */
export const lockAudit = 'update rotation_audit set rotations = rotations'

/** Takes the lock of a session, and changes nothing that a rotation asks for. */
export const lockSession = "update jwt_auth_sessions set label = 'touched' where id = ?"

/** Runs statements one after the other. */
export const runAll = async (knex: Knex, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await knex.raw(statement)
}

/** Undoes what a failure has left open. */
export const endAll = async (transactions: readonly Knex.Transaction[]): Promise<void> => {
  await Promise.all(transactions.filter((one) => !one.isCompleted()).map((one) => one.rollback()))
}
