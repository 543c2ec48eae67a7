import { sampleSession } from '@jwt-auth/storage-conformance'
import { type SqlExecutor, type SqlStorage, sqlStorage } from '@jwt-auth/storage-sql'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { DatabaseServer } from './databases.js'
import { describeEach } from './describe-each.js'
import { hourly } from './limiter-cases.js'

/** A client with one connection, which an application and an executor share. */
export interface SharedClient {
  readonly executor: SqlExecutor
  /**
   * Takes the connection, runs statements as an application does, and gives the connection back.
   * Without `awaits`, gives it back while the statements are in flight.
   */
  readonly run: (statements: readonly string[], awaits: boolean) => Promise<unknown>
  readonly close: () => unknown
}

/** A client to test. */
export interface SharedClientUnderTest {
  /** The name for the titles of the tests. */
  readonly title: string
  readonly server: DatabaseServer
  readonly open: (url: string) => SharedClient
  /** Whether the client has an interface without waiting. @default true */
  readonly canLeaveInFlight?: boolean
}

const begin = {
  SQLite: ['begin', 'select * from jwt_auth_sessions'],
  // The snapshot of a read.
  PostgreSQL: ['begin isolation level repeatable read', 'select * from jwt_auth_sessions'],
  MariaDB: ['start transaction with consistent snapshot'],
}
const ending = { endedAt: sampleSession(1).createdAt, endReason: 'revoked' }

/** Declares tests of connections that an application gives back in a transaction. */
export const describeForeignTransactions = ({
  title,
  server,
  open,
  canLeaveInFlight = true,
}: SharedClientUnderTest): void => {
  const { name } = server
  describeEach([server], `a call over ${title} on $name`, async ({ createDatabase }) => {
    const database = await createDatabase()
    const other = open(database.url)
    const elsewhere = sqlStorage(other.executor)
    const refusal = expect.objectContaining({
      message: expect.stringMatching(
        /the application gave a connection back to the pool before it ended its transaction$/,
      ),
    })
    const session = sampleSession(1)
    let client: SharedClient
    let storage: SqlStorage

    beforeAll(() => elsewhere.migrate())
    beforeEach(async () => {
      client = open(database.url)
      storage = sqlStorage(client.executor)
      await elsewhere.deleteExpired({ before: Number.MAX_SAFE_INTEGER, limit: 10 })
      await elsewhere.create(session)
      // The connection is known already.
      await storage.findByIds([session.id])
      return client.close
    })
    afterAll(async () => {
      await other.close()
      await database.drop()
    })

    const leaks = [
      ['in a transaction', begin[name], true],
      ['while the statement that starts a transaction is in flight', begin[name], false],
      ...(name === 'PostgreSQL' ? ([['in a failed transaction', ['begin', 'select 1/0'], true]] as const) : []),
    ] as const

    it.each(leaks.filter(([, , awaits]) => awaits || canLeaveInFlight))(
      'rejects when the connection was given back %s, and the next call is committed',
      async (_, statements, awaits) => {
        await client.run(statements, awaits)
        await expect(storage.end({ id: session.id, ...ending })).rejects.toEqual(refusal)
        expect(await elsewhere.findByIds([session.id])).toEqual([session])

        expect(await storage.end({ id: session.id, ...ending })).toEqual({ outcome: 'ended' })
        expect(await elsewhere.findByIds([session.id])).toEqual([{ ...session, ...ending }])
      },
    )

    it('never reads the state that a transaction of the application sees', async () => {
      await client.run(begin[name], true)
      await elsewhere.end({ id: session.id, ...ending })
      await expect(storage.findByIds([session.id])).rejects.toEqual(refusal)
      expect(await storage.findByIds([session.id])).toEqual([{ ...session, ...ending }])
    })

    it('of the limits or of a migration starts no transaction in a transaction of the application', async () => {
      await client.run(begin[name], true)
      await expect(client.executor.transaction(async () => {})).rejects.toThrow(/ transaction(?: is in progress)?$/)
      await client.run(begin[name], true)
      await expect(sqlStorage(client.executor).limiter.reserve([hourly('ann')], { now: Date.now() })).rejects.toEqual(
        refusal,
      )
      await client.executor.transaction((query) => query("update jwt_auth_sessions set label = 'kept'", []))
      expect(await elsewhere.findByIds([session.id])).toEqual([{ ...session, label: 'kept' }])
    })

    if (name !== 'MariaDB') return
    it('rejects when the application has set autocommit to 0', async () => {
      await client.run(['set autocommit = 0'], true)
      const rejection = { code: 'AUTOCOMMIT_OFF', message: expect.stringContaining('remove `autocommit = 0`') }
      await expect(storage.end({ id: session.id, ...ending })).rejects.toMatchObject(rejection)
      expect(await storage.end({ id: session.id, ...ending })).toEqual({ outcome: 'ended' })
      expect(await elsewhere.findByIds([session.id])).toEqual([{ ...session, ...ending }])
    })

    it('asks the server about its connection only after somebody else has used the connection', async () => {
      const countSelects = async (): Promise<number> => {
        const { rows } = await client.executor.query("show session status like 'Com_select'", [])
        return Number(rows?.[0]?.['Value'])
      }
      const before = await countSelects()
      for (const _ of [1, 2, 3]) await storage.findByIds([session.id])
      expect((await countSelects()) - before).toBe(3)
      await client.run(['do 0'], true)
      await storage.findByIds([session.id])
      expect((await countSelects()) - before).toBe(5)
    })
  })
}
