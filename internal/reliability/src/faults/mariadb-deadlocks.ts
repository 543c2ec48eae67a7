import type { Knex } from 'knex'
import { createAudit, endAll, lockAudit, lockSession, patienceMs, runAll } from './audited-rotations.js'
import type { DeadlockTrap } from './deadlock-trap.js'
import { until } from './until.js'

const removeTrigger = 'drop trigger if exists audited'
const writeTrigger = (body: string): string =>
  `create trigger audited before update on jwt_auth_sessions for each row ${body}`

/** The trap of MariaDB, which gives up at once whoever has changed least. */
export const createMariadbTrap = (knex: Knex): DeadlockTrap => {
  const readStatus = async (name: string): Promise<number> => {
    const [[row]] = await knex.raw(`show global status like '${name}'`)
    return Number(row?.Value)
  }
  let before = 0

  const set = async (body: string): Promise<void> => {
    await runAll(knex, [
      removeTrigger,
      ...createAudit,
      'create table if not exists ballast (n integer)',
      writeTrigger(body),
    ])
    before = await readStatus('Innodb_deadlocks')
  }

  return {
    moments: ['in the middle'],
    set: () => set('update rotation_audit set rotations = rotations + 1'),
    setForGood: () => set("signal sqlstate '40001' set mysql_errno = 1213"),
    remove: () => runAll(knex, [removeTrigger]),

    spring: async (sessionId, rotate) => {
      const other = await knex.transaction()
      try {
        await other('ballast').insert(Array.from({ length: 100 }, (_, n) => ({ n })))
        await other.raw(lockAudit)
        const rotation = rotate()
        const isWaiting = async (): Promise<boolean> => (await readStatus('Innodb_row_lock_current_waits')) === 1
        await until('the rotation waits for its second lock', isWaiting, patienceMs)
        await other.raw(lockSession, [sessionId])
        await other.commit()
        return await rotation
      } finally {
        await endAll([other])
      }
    },

    countDeadlocks: async () => (await readStatus('Innodb_deadlocks')) - before,
  }
}
