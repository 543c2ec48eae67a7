import type { Knex } from 'knex'
import { createAudit, endAll, lockAudit, lockSession, patienceMs, runAll } from './audited-rotations.js'
import type { DeadlockMoment, DeadlockTrap } from './deadlock-trap.js'
import { until } from './until.js'

/** Where a rotation can be held: before it takes its first lock, and between its two locks. */
const [firstGate, secondGate] = ['pg_advisory_xact_lock(4711)', 'pg_advisory_xact_lock(4712)']

const writeFunction = (name: string, body: string): string =>
  `create or replace function ${name}() returns trigger language plpgsql as $$ begin ${body} return new; end $$`

const removeTriggers: readonly string[] = [
  'drop trigger if exists begun on jwt_auth_sessions',
  'drop trigger if exists audited on jwt_auth_sessions',
]

const createTriggers = (moment: DeadlockMoment): readonly string[] => [
  // A sequence is not rolled back: it counts the rotations that were given up as well.
  writeFunction('begin_rotation', `perform nextval('rotation_attempts'); perform ${firstGate};`),
  writeFunction('audit_rotation', `perform ${secondGate}; update rotation_audit set rotations = rotations + 1;`),
  'create trigger begun before update on jwt_auth_sessions for each statement execute function begin_rotation()',
  moment === 'in the middle'
    ? 'create trigger audited before update on jwt_auth_sessions for each row execute function audit_rotation()'
    : `create constraint trigger audited after update on jwt_auth_sessions deferrable initially deferred
         for each row execute function audit_rotation()`,
]

const refuseRotations: readonly string[] = [
  writeFunction('audit_rotation', "raise exception 'once more' using errcode = 'deadlock_detected';"),
  'create trigger audited before update on jwt_auth_sessions for each row execute function audit_rotation()',
]

const findAttempts = "select coalesce(max(last_value), 0) from pg_sequences where sequencename = 'rotation_attempts'"

/** The trap of PostgreSQL, which gives up whoever looks for a deadlock when there is one: `deadlock_timeout` says when. */
export const createPostgresTrap = (knex: Knex): DeadlockTrap => {
  const readNumber = async (sql: string): Promise<number> => Number((await knex.raw(sql)).rows[0]?.n)

  const untilWaiting = (count: number): Promise<void> =>
    until(
      `${count} transactions wait for a lock`,
      async () => (await readNumber('select count(*) as n from pg_locks where not granted')) === count,
      patienceMs,
    )

  return {
    moments: ['in the middle', 'at its commit'],
    set: (moment) =>
      runAll(knex, [
        ...removeTriggers,
        ...createAudit,
        'create sequence if not exists rotation_attempts',
        "select setval('rotation_attempts', 1, false)",
        ...createTriggers(moment),
        "alter system set deadlock_timeout = '20ms'",
        'select pg_reload_conf()',
      ]),
    setForGood: () => runAll(knex, [...removeTriggers, ...refuseRotations]),
    remove: () => runAll(knex, removeTriggers),

    spring: async (sessionId, rotate) => {
      const [next, gate, other] = [await knex.transaction(), await knex.transaction(), await knex.transaction()]
      try {
        await other.raw("set local deadlock_timeout = '1min'; set local session_replication_role = replica")
        await other.raw(lockAudit)
        await gate.raw(`select ${secondGate}`)
        const rotation = rotate()
        await untilWaiting(1)
        // First in line: the rotation must not be tried again before the other transaction has its lock.
        const isNext = next.raw(`select ${firstGate}`).then(() => {})
        await untilWaiting(2)
        const isLocked = other.raw(lockSession, [sessionId]).then(() => {})
        await untilWaiting(3)
        await gate.commit()
        await Promise.all([isNext, isLocked])
        await other.commit()
        await next.commit()
        return await rotation
      } finally {
        await endAll([next, gate, other])
      }
    },

    countDeadlocks: () => readNumber(`select (${findAttempts}) - (select rotations from rotation_audit) as n`),
  }
}
