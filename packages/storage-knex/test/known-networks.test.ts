import { createTokenService, isAuthError, type SessionStorage } from '@jwt-auth/core'
import { hashPassword } from '@jwt-auth/passwords'
import { knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { findDatabases, shortenRefusalDelays } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, expect, it } from 'vitest'

const cost = 4
const columns = {
  id: 'id',
  username: 'login',
  passwordHash: 'hash',
  email: 'mail',
  nicename: 'slug',
  displayName: 'name',
} as const

describeEach(
  await findDatabases(),
  'a table on $name with users whose names differ in case',
  async ({ createDatabase }) => {
    const database = await createDatabase()
    const knex = database.connect()
    afterAll(() => database.drop())

    const setUp = async (): Promise<SessionStorage> => {
      await knex.schema.createTable('people', (table) => {
        table.integer('id').primary()
        for (const column of ['login', 'hash', 'mail', 'slug', 'name']) table.string(column)
      })
      const rows = ['ann', 'ANN'].map(async (login, id) => {
        const hash = await hashPassword(`the password of ${login}`, { cost })
        return { id, login, hash, mail: `${id}@example.com`, slug: `user-${id}`, name: login }
      })
      await knex('people').insert(await Promise.all(rows))
      const storage = knexStorage(knex)
      await storage.migrate()
      return storage
    }

    it('stores known networks for one user only: a hundred guesses at the other user are checked', async () => {
      const users = knexUsers(knex, { table: 'people', columns, cost })
      let checks = 0
      const { authenticate } = createTokenService({
        secret: 'sZ4nT0kq-X8vR2mLp_6YbW1cJd9hGfEu',
        issuer: 'https://api.example.com',
        storage: await setUp(),
        system: { startTimer: shortenRefusalDelays },
        storageTimeoutMs: 60_000,
        users: {
          ...users,
          verifyPassword: (...check) => {
            checks += 1
            return users.verifyPassword(...check)
          },
        },
      })
      const logIn = (username: string, password: string, network: number): Promise<string> =>
        authenticate({ username, password }, { address: `192.0.2.${network}` }).then(
          () => 'in',
          (error: unknown) => (isAuthError(error) ? error.code : String(error)),
        )
      const networks = Array.from({ length: 12 }, (_, network) => network)
      for (const network of networks) expect(await logIn('ANN', 'the password of ANN', network)).toBe('in')

      const logins = checks
      for (const network of networks) {
        await Promise.all(Array.from({ length: 10 }, (_, guess) => logIn('ann', `guess ${guess}`, network)))
      }
      expect(checks - logins).toBe(100)
      expect(await logIn('ann', 'the password of ann', 11)).toBe('jwt_auth_rate_limited')
      expect(await logIn('ANN', 'the password of ANN', 11)).toBe('in')
    })
  },
)
