import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  connectTo,
  createDatabaseName,
  dropLeftOvers,
  type FreshDatabase,
  findDatabases,
  isLeftOver,
} from '../src/databases.js'
import { describeEach } from '../src/describe-each.js'

const hourMs = 60 * 60 * 1_000
const now = 1_767_225_600_000

describe('the name of a database', () => {
  it.each<[string, string, boolean]>([
    ['tests created it more than an hour ago', createDatabaseName(now - hourMs - 1_000), true],
    ['tests created it an hour ago', createDatabaseName(now - hourMs), false],
    ['tests created it now', createDatabaseName(now), false],
    ['it has no time', 'jwt_auth_0123456789ab', false],
    ['it has another form', 'jwt_auth_production', false],
  ])('shows whether tests left it behind when %s', (_, name, expected) => {
    expect(isLeftOver(name, now)).toBe(expected)
  })
})

const servers = (await findDatabases()).filter(({ name }) => name !== 'SQLite')

describeEach(servers, 'the databases on $name', ({ name: server, createDatabase }) => {
  let database: FreshDatabase
  const old = createDatabaseName(Date.now() - 2 * hourMs)

  const exists = async (name: string): Promise<boolean> => {
    const table = server === 'PostgreSQL' ? 'pg_database' : 'information_schema.schemata'
    const column = server === 'PostgreSQL' ? 'datname' : 'schema_name'
    return (await database.connect()(table).where(column, name)).length === 1
  }

  const createOld = (): Promise<unknown> => database.connect().raw(`create database ${old}`)

  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(() => database.drop())

  it('that tests left behind are dropped, and others are kept', async () => {
    await createOld()
    await dropLeftOvers(new URL(database.url))
    expect(await exists(old)).toBe(false)
    expect(await exists(new URL(database.url).pathname.slice(1))).toBe(true)
  })

  it('that are old and still in use are kept until they are unused', async () => {
    const user = connectTo(new URL(`/${old}`, database.url).href)
    // Another test run may drop the database before it is in use.
    const use = (): Promise<boolean> =>
      user.raw('select 1').then(
        () => true,
        () => createOld().then(() => false),
      )
    await expect.poll(use).toBe(true)
    await dropLeftOvers(new URL(database.url))
    expect(await exists(old)).toBe(true)
    await user.destroy()
    await expect.poll(async () => dropLeftOvers(new URL(database.url)).then(() => exists(old))).toBe(false)
  })
})
