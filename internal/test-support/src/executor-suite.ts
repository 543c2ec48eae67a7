import { conformanceCases, type HoldBackend, type Moment, sampleSession } from '@jwt-auth/storage-conformance'
import { type SqlExecutor, sqlStorage } from '@jwt-auth/storage-sql'
import { migrations } from '@jwt-auth/storage-sql/internal/migrations'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeConflicts } from './conflict-tests.js'
import type { DatabaseServer } from './databases.js'
import { describeEach } from './describe-each.js'
import { findRecords } from './find-records.js'
import { holdTimeouts } from './held-timeouts.js'
import { limiterCases } from './limiter-cases.js'
import {
  beforeLockWaitTimeout,
  createHeldStorages,
  findWrites,
  holdTable,
  whileSessionsLocked,
} from './locked-sessions.js'

/** An executor, and the function that closes its client. */
export interface OpenedExecutor {
  readonly executor: SqlExecutor
  readonly close: () => unknown
}

/** An executor to test. */
export interface ExecutorUnderTest {
  /** The name for the titles of the tests. */
  readonly title: string
  readonly server: DatabaseServer
  /** Opens a client of its own, with ten connections on a server. */
  readonly open: (url: string) => OpenedExecutor
  /** Whether an abort cancels a statement in flight. Only on servers. @default true */
  readonly isCancelling?: boolean
}

/** Declares the conformance suite and the tests of migrations and cancellations for an executor. */
export const describeExecutor = ({ title, server, open, isCancelling = true }: ExecutorUnderTest): void => {
  const { name } = server
  describeEach([server], `${title} on $name`, async ({ createDatabase }) => {
    const database = await createDatabase()
    const opened: OpenedExecutor[] = []
    const connect = (url: string): SqlExecutor => {
      const one = open(url)
      opened.push(one)
      return one.executor
    }
    const [executor, other] = [connect(database.url), connect(database.url)]
    const [storage, sharing] = [sqlStorage(executor), sqlStorage(other)]
    const knex = database.connect()
    const hold = name === 'SQLite' ? () => holdExecutor(executor) : holdTable(name, knex)
    const held = createHeldStorages((table) => sqlStorage(executor, { table }), hold)
    const failing = async () => {
      if (name !== 'SQLite') return sqlStorage(connect(toClosedPort(database.url)))
      const closed = open(database.url)
      await closed.close()
      return sqlStorage(closed.executor)
    }

    beforeAll(async () => {
      const storages = [storage, sharing, sqlStorage(connect(database.url))]
      // On SQLite, a wait for the lock blocks the event loop of the process.
      if (name === 'SQLite') for (const one of storages) await one.migrate()
      else await Promise.all(storages.map((one) => one.migrate()))
      await held.migrate()
    })
    beforeEach(async () => {
      // A statement of the previous test can still take effect if its signal aborted while the
      // statement was in flight.
      if (name !== 'SQLite') await expect.poll(() => findWrites(name, knex)).toHaveLength(0)
      await executor.query('delete from jwt_auth_sessions', [])
    })
    afterAll(async () => {
      for (const { close } of opened) await close()
      await database.drop()
    })

    const cases = conformanceCases({
      createStorage: () => storage,
      createFailingStorage: failing,
      createInterruptedStorages: (moment) => [sqlStorage(interrupt(executor, moment)), storage],
      createHeldStorage: held.takeHeld,
      createSharedStorages: () => [storage, sharing],
    })
    for (const { title, run } of cases) it(title, run)

    for (const { title, run } of limiterCases) {
      it(`counts: ${title}`, () => run(sqlStorage(executor).limiter, sqlStorage(other).limiter))
    }

    it('names the primary and the database in its status', async () => {
      const primary = { SQLite: /^\/.+/, PostgreSQL: /^\d+\/[0-9A-F]{8}\/jwt_auth_/, MariaDB: /^.+\/\d+\/\d+/ }[name]
      const status = await storage.status()
      expect(status.isReady && status.primary).toMatch(primary)
    })

    it('migrates once when three clients start', async () => {
      const { rows = [] } = await executor.query('select version from jwt_auth_sessions_migrations', [])
      expect(rows.map(({ version }) => Number(version))).toEqual(migrations.map(({ schemaVersion }) => schemaVersion))
      expect(await storage.migrationSql()).toEqual([])
    })

    it('undoes the work of a transaction that rejects, and rejects with the same reason', async () => {
      const reason = new Error('the work failed')
      await storage.create(sampleSession(1))
      const work = executor.transaction(async (query) => {
        await query("update jwt_auth_sessions set label = 'lost'", [])
        throw reason
      })
      await expect(work).rejects.toBe(reason)
      expect(await storage.findByIds([sampleSession(1).id])).toEqual([sampleSession(1)])
    })

    it('finds exactly the sessions whose ids have quotes, backslashes, commas and braces', async () => {
      const ids = ['"', '\\', '\\"', '{a,b}', "'", 'null', '$1', '?']
      const sessions = ids.map((id, number) => sampleSession(number, { id }))
      for (const session of sessions) await storage.create(session)
      await storage.create(sampleSession(100, { id: 'a' }))
      expect(new Set(await storage.findByIds(ids))).toEqual(new Set(sessions))
    })

    it('names the missing table and the fix in the error of a call before the migration', async () => {
      const unmigrated = sqlStorage(executor, { table: 'unmigrated' })
      await expect(unmigrated.findByIds(['id'])).rejects.toThrow(/its table is missing: call storage\.migrate\(\)/)
    })

    describeConflicts(name, executor)

    if (name === 'SQLite' || !isCancelling) return
    it('cancels each of many statements in flight at the deadline, and writes nothing', async () => {
      // A busy server may need more than a second for the cancellations.
      holdTimeouts()
      const sessions = Array.from({ length: 6 }, (_, number) => sampleSession(number + 10))
      for (const each of sessions) await storage.create(each)
      await whileSessionsLocked(knex, async () => {
        const controller = new AbortController()
        const ending = { endedAt: 1_767_225_600_000, endReason: 'revoked' }
        const outcomes = Promise.allSettled(
          sessions.map(({ id }) => storage.end({ id, ...ending }, { signal: controller.signal })),
        )
        await expect.poll(() => findWrites(name, knex)).toHaveLength(sessions.length)
        controller.abort(new Error('late'))
        expect((await outcomes).map(({ status }) => status)).toEqual(sessions.map(() => 'rejected'))
        await expect.poll(() => findWrites(name, knex), beforeLockWaitTimeout).toHaveLength(0)
      })
      const ids = sessions.map(({ id }) => id)
      expect((await findRecords(storage, ids)).filter(({ endedAt }) => endedAt === null)).toHaveLength(sessions.length)
    })
  })
}

// No server listens at the port of the discard protocol.
const toClosedPort = (url: string): string => Object.assign(new URL(url), { port: '9' }).href

/** Holds the only connection of an executor of SQLite. */
const holdExecutor =
  ({ transaction }: SqlExecutor): HoldBackend =>
  () =>
    new Promise((resolveHold, rejectHold) => {
      const held = transaction(
        () =>
          new Promise<void>((release) => {
            resolveHold(async () => {
              release()
              await held
            })
          }),
      )
      held.catch(rejectHold)
    })

/** Returns an executor whose first write fails: before it is sent, or after the database has run it. */
const interrupt = ({ query, ...others }: SqlExecutor, moment: Moment): SqlExecutor => {
  let isInterrupted = false
  return {
    ...others,
    query: async (...args) => {
      if (isInterrupted || args[0].startsWith('select')) return query(...args)
      isInterrupted = true
      if (moment === 'after-commit') await query(...args)
      throw Object.assign(new Error('the connection is lost'), { code: 'ECONNRESET' })
    },
  }
}
