import { randomBytes } from 'node:crypto'
import { createTokenService, type User } from '@jwt-auth/core'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, expect, it } from 'vitest'

const user: User = { id: 1, email: 'ann@example.com', nicename: 'ann', displayName: 'Ann' }
const users = { findByUsername: async () => user, findById: async () => user, verifyPassword: async () => true }

describeEach(await findDatabases(), 'the statements that storage sends on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect()
  const storage = knexStorage(knex)
  const service = createTokenService({
    secret: randomBytes(32),
    issuer: 'https://a.example',
    users,
    storage,
    rateLimits: false,
    callTimeoutMs: 60_000,
  })

  const countDuring = async <T>(work: () => Promise<T>): Promise<[verbs: string[], result: T]> => {
    const verbs: string[] = []
    const note = ({ sql }: { sql: string }): void => {
      verbs.push(sql.split(' ', 1)[0] ?? '')
    }
    knex.on('query', note)
    const result = await work()
    knex.off('query', note)
    return [verbs, result]
  }

  const logIn = () => service.login({ username: 'ann', password: 'x' })

  beforeAll(async () => {
    await storage.migrate()
    // On MariaDB, the first call after a migration also sends the checks of its connection.
    await storage.findByIds(['none'])
  })
  afterAll(() => database.drop())

  it('are at most three more before the first call, which read the schema version, the primary and no row', async () => {
    const [verbs] = await countDuring(logIn)
    expect(verbs).toEqual(['select', 'select', 'select', 'insert', 'select'])
  })

  it('are two for a login', async () => {
    const [verbs] = await countDuring(logIn)
    expect(verbs).toEqual(['insert', 'select'])
  })

  it('are one for a guarded request', async () => {
    const { accessToken } = await logIn()
    const [verbs] = await countDuring(() => service.authorize(accessToken))
    expect(verbs).toEqual(['select'])
  })

  it('are two for a refresh, and two for its retry', async () => {
    const { refreshToken } = await logIn()
    const [first] = await countDuring(() => service.refresh(refreshToken))
    expect(first).toEqual(['select', 'update'])
    const [retry] = await countDuring(() => service.refresh(refreshToken))
    expect(retry).toEqual(['select', 'update'])
  })

  it('are one for a revocation, and two for a second one', async () => {
    const { accessToken } = await logIn()
    const [first] = await countDuring(() => service.revoke(accessToken))
    expect(first).toEqual(['update'])
    const [second] = await countDuring(() => service.revoke(accessToken).catch(() => {}))
    expect(second).toEqual(['update', 'select'])
  })
})
