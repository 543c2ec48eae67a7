import type { SessionStorage } from '@jwt-auth/core'
import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { beforeLockWaitTimeout, findDatabases, findWrites, whileSessionsLocked } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { holdTimeouts } from '@jwt-auth/test-support/held-timeouts'
import type { Knex } from 'knex'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'

const ending = { endedAt: 1_767_225_600_000, endReason: 'revoked' }
const session = sampleSession(1)

const servers = (await findDatabases()).filter(({ name }) => name !== 'SQLite')
const variants = servers.flatMap((server) => {
  const plain = { ...server, kind: server.name, preparedStatements: false }
  const prepared = { ...plain, name: `${server.name} with prepared statements`, preparedStatements: true }
  return server.name === 'PostgreSQL' ? [plain, prepared] : [plain]
})

/** Returns the connection that a pool of one hands out. */
const findConnection = async ({ client }: Knex): Promise<unknown> => {
  const connection: unknown = await client.acquireConnection()
  await client.releaseConnection(connection)
  return connection
}

describeEach(variants, 'a deadline on $name', async ({ kind, preparedStatements, createDatabase }) => {
  const database = await createDatabase()
  let knex: Knex
  let storage: SessionStorage

  /**
   * Runs a call while another transaction holds the session's row, and aborts it once the server
   * waits.
   */
  const abortWhileLocked = async (call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> => {
    // A busy server may need more than a second for the cancellation.
    holdTimeouts()
    const other = database.connect()
    return whileSessionsLocked(other, async () => {
      const controller = new AbortController()
      const result = call(controller.signal).catch((error: unknown) => error)
      await expect.poll(() => findWrites(kind, other)).toHaveLength(1)
      controller.abort(new Error('late'))
      const failure = await result
      await expect.poll(() => findWrites(kind, other), beforeLockWaitTimeout).toHaveLength(0)
      return failure
    })
  }

  beforeEach(async () => {
    knex = database.connect()
    const made = knexStorage(knex, { preparedStatements })
    await made.migrate()
    storage = made
    await storage.create(session)
  })
  afterEach(() => database.empty())
  afterAll(() => database.drop())

  it('cancels the statement in progress, and nothing was written', async () => {
    const failure = await abortWhileLocked((signal) => storage.end({ id: session.id, ...ending }, { signal }))
    expect(String(failure)).toBe('Error: jwt-auth: the SQL storage could not end a session (Error)')
    expect(await storage.findByIds([session.id])).toEqual([session])
  })

  it('discards the connection, and the next call opens another one', async () => {
    const single = database.connect({ min: 0, max: 1 })
    const onSingle = knexStorage(single, { preparedStatements })
    const before = await findConnection(single)
    await abortWhileLocked((signal) => onSingle.end({ id: session.id, ...ending }, { signal }))
    expect(await onSingle.findByIds([session.id])).toEqual([session])
    expect(await findConnection(single)).not.toBe(before)
  })

  it('logs nothing for the cancellation, and at most one line when the pool drops the connection', async () => {
    const single = database.connect({ min: 0, max: 1 })
    const lines: string[] = []
    single.client.logger.warn = (line: string) => lines.push(line)
    const onSingle = knexStorage(single, { preparedStatements })
    await abortWhileLocked((signal) => onSingle.end({ id: session.id, ...ending }, { signal }))
    expect(lines).toEqual([])
    await onSingle.findByIds([session.id])
    // knex logs no line if it finds the socket destroyed before the connection has emitted its error.
    expect(lines.slice(1)).toEqual([])
    expect(lines[0] ?? 'Connection Error: ').toMatch(/^Connection Error: /)
  })
})
