import type { CallOptions, Limiter, SessionStorage } from '@jwt-auth/core'
import { sampleSession } from '@jwt-auth/storage-conformance'
import { type SqlExecutor, type SqlQuery, sqlStorage } from '@jwt-auth/storage-sql'
import { describe, expect, it } from 'vitest'
import { hourly } from './limiter-cases.js'

const raise = (code: string): string => `do $$ begin raise exception 'injected' using errcode = '${code}'; end $$`

// Statements that fail with a code. SQLite has no conflicts that it reports in this way.
const failures = {
  SQLite: { conflicts: {}, others: {} },
  PostgreSQL: {
    conflicts: { '40001': raise('40001'), '40P01': raise('40P01') },
    others: { '55P03': raise('55P03'), '57P01': raise('57P01') },
  },
  MariaDB: {
    conflicts: { ER_LOCK_DEADLOCK: "signal sqlstate '40001' set mysql_errno = 1213" },
    others: { ER_LOCK_WAIT_TIMEOUT: "signal sqlstate 'HY000' set mysql_errno = 1205" },
  },
} as const

const replaced = { verifierHash: 'replaced', salt: 'salt', replacedAt: sampleSession(1).rotatedAt }
const session = sampleSession(1, { recentVerifiers: [replaced] })
const { id, issuer, verifierHash: expectedVerifierHash } = session
const other = sampleSession(2)
const ending = { endedAt: session.createdAt, endReason: 'revoked' }
const now = Date.now()
const window = { key: 'ada', count: 1, endsAt: now + 3_600_000 }

type Call = (storage: SessionStorage, limiter: Limiter, options: CallOptions) => Promise<unknown>

const calls: Readonly<Record<string, Call>> = {
  create: (storage, _, options) => storage.create(other, options),
  rotate: (storage, _, options) => storage.rotate({ ...session, expectedVerifierHash, verifierHash: 'next' }, options),
  end: (storage, _, options) => storage.end({ id, ...ending }, options),
  endAllForUser: (storage, _, options) => storage.endAllForUser({ ...session, ...ending }, options),
  endCreatedBefore: (storage, _, options) =>
    storage.endCreatedBefore({ issuer, createdBefore: session.createdAt + 1, limit: 10, ...ending }, options),
  deleteExpired: (storage, _, options) =>
    storage.deleteExpired({ before: session.absoluteExpiresAt, limit: 10 }, options),
  findByIds: (storage, _, options) => storage.findByIds([id], options),
  findBySelectorHash: (storage, _, options) => storage.findBySelectorHash(session.selectorHash, options),
  list: (storage, _, options) => storage.list({ ...session, activeAt: session.createdAt, limit: 10 }, options),
  reserve: (_, limiter, options) => limiter.reserve([hourly('ada')], { now, ...options }),
  refund: (_, limiter, options) => limiter.refund([window], { now, ...options }),
}

/**
 * Declares tests of statements that the server rolls back because of a concurrent statement. The
 * server returns the code of a conflict for statements that the tests inject. The tables must exist.
 */
export const describeConflicts = (server: keyof typeof failures, executor: SqlExecutor): void => {
  const { conflicts, others } = failures[server]
  const [storage, limiter] = [sqlStorage(executor), sqlStorage(executor).limiter]

  const reset = async (): Promise<void> => {
    for (const table of ['jwt_auth_sessions', 'jwt_auth_sessions_limits'])
      await executor.query(`delete from ${table}`, [])
    await storage.create(session)
    for (const _ of [1, 2]) await limiter.reserve([hourly('ada')], { now })
  }

  const readState = async (): Promise<unknown> => ({
    sessions: new Set(await storage.findByIds([id, other.id])),
    counts: (await executor.query('select id, attempts from jwt_auth_sessions_limits', [])).rows,
  })

  // Runs each call with failing statements. Resolves to its error and how many statements it sent.
  const runFailing = (statement: string, signalAfter = Number.POSITIVE_INFINITY) =>
    Promise.all(
      Object.values(calls).map(async (call) => {
        const deadline = new AbortController()
        let sent = 0
        const failing = inject(executor, () => {
          sent += 1
          if (sent === signalAfter) deadline.abort(new Error('late'))
          return statement
        })
        const outcome = call(sqlStorage(failing), sqlStorage(failing).limiter, { signal: deadline.signal })
        return { error: await outcome.catch((error: unknown) => error), sent }
      }),
    )

  describe.each(Object.entries(conflicts))('a conflict (%s)', (code, statement) => {
    it.each(Object.entries(calls))('has no influence on %s when it occurs twice', async (_, call) => {
      await reset()
      const expected = [await call(storage, limiter, {}), await readState()]
      await reset()
      let left = 2
      const failing = inject(executor, (text) => {
        left -= 1
        return left < 0 ? text : statement
      })
      expect([await call(sqlStorage(failing), sqlStorage(failing).limiter, {}), await readState()]).toEqual(expected)
      expect(left).toBeLessThan(0)
    })

    it('makes each call reject after fifty attempts, and change nothing', async () => {
      await reset()
      const before = await readState()
      const error = expect.objectContaining({ code })
      expect(await runFailing(statement)).toEqual(Object.keys(calls).map(() => ({ error, sent: 50 })))
      expect(await readState()).toEqual(before)
    })

    it('is not repeated after the deadline of the call', async () => {
      await reset()
      const error = expect.any(Error)
      expect(await runFailing(statement, 3)).toEqual(Object.keys(calls).map(() => ({ error, sent: 3 })))
    })
  })

  it.each(Object.entries(others))('repeats no statement after another failure (%s)', async (code, statement) => {
    const error = expect.objectContaining({ code })
    expect(await runFailing(statement)).toEqual(Object.keys(calls).map(() => ({ error, sent: 1 })))
  })
}

/**
 * Returns an executor that sends the replacement of each statement. The limits ask for the version
 * of MariaDB once.
 */
const inject = (executor: SqlExecutor, replace: (text: string) => string): SqlExecutor => {
  const wrap =
    (query: SqlQuery): SqlQuery =>
    (text, values, options) => {
      const sent = text.includes('version()') ? text : replace(text)
      return query(sent, sent === text ? values : [], options)
    }
  return {
    ...executor,
    query: wrap(executor.query),
    transaction: (work) => executor.transaction((query) => work(wrap(query))),
  }
}
