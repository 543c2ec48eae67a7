import { hashPassword } from '@jwt-auth/passwords'
import { knexUsers } from '@jwt-auth/storage-knex'
import { type FreshDatabase, findByCredentials, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import type { Knex } from 'knex'
import { afterEach, beforeEach, expect, it } from 'vitest'

const cost = 4
const poolSize = 3
const columns = {
  id: 'id',
  username: 'login',
  passwordHash: 'hash',
  email: 'mail',
  nicename: 'slug',
  displayName: 'name',
} as const

/** Statements that prevent every other connection from reading the table. */
const lockTable = {
  SQLite: '',
  PostgreSQL: 'lock table people in access exclusive mode',
  MariaDB: 'lock tables people write',
}

const servers = (await findDatabases()).filter(({ name }) => name !== 'SQLite')

describeEach(servers, 'a login whose lookup hangs on $name', ({ name, createDatabase }) => {
  let database: FreshDatabase
  let knex: Knex

  beforeEach(async () => {
    database = await createDatabase()
    knex = database.connect({ min: 0, max: poolSize })
    await knex.schema.createTable('people', (table) => {
      table.integer('id').primary()
      for (const column of ['login', 'hash', 'mail', 'slug', 'name']) table.string(column)
    })
    const hash = await hashPassword('pass phrase', { cost })
    await knex('people').insert({ id: 7, login: 'ada', hash, mail: 'ada@example.com', slug: 'ada', name: 'Ada' })
  })
  afterEach(() => database.drop())

  it('aborts at the deadline, releases its connection, and succeeds when the table can be read again', async () => {
    const users = knexUsers(knex, { table: 'people', columns, cost })
    const other = database.connect({ min: 1, max: 1 })
    const lock = await other.transaction()
    await lock.raw(lockTable[name])

    const late = new Error('the deadline has passed')
    const deadline = new AbortController()
    const lookups = Array.from({ length: poolSize + 2 }, () => users.findByUsername('ada', { signal: deadline.signal }))
    await expect.poll(() => knex.client.pool.numUsed()).toBe(poolSize)
    deadline.abort(late)
    for (const outcome of await Promise.allSettled(lookups)) expect(outcome.status).toBe('rejected')
    await expect.poll(() => knex.client.pool.numUsed()).toBe(0)

    if (name === 'MariaDB') await lock.raw('unlock tables')
    await lock.rollback()
    expect(await findByCredentials(users, 'ada', 'pass phrase')).toMatchObject({ id: 7 })
  })
})
