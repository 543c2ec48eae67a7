import { createTokenService } from '@jwt-auth/core'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { knexStorage } from '../src/index.js'

const [, ...servers] = await findDatabases()
// Longer than a busy server takes to respond.
const deadlineMs = 2_000

describeEach(
  servers,
  'a service on $name whose event loop is blocked for longer than its deadline',
  async ({ createDatabase }) => {
    const database = await createDatabase()
    const knex = database.connect()
    const errors: unknown[] = []
    const directory = createTestDirectory()
    const service = createTokenService({
      secret: testSecret,
      issuer: testIssuer,
      storage: knexStorage(knex),
      users: {
        ...directory,
        findByUsername: async (name, options) => {
          await knex.raw('select 1')
          return directory.findByUsername(name, options)
        },
      },
      rateLimits: { limiter: knexStorage(knex).limiter },
      callTimeoutMs: deadlineMs,
      onError: (error) => errors.push(error),
    })
    let isDue = false
    /** Blocks the event loop after the first statement of an operation. */
    const block = <T>(operation: () => T): T => {
      isDue = true
      return operation()
    }
    const login = () => service.login({ username: ann.nicename, password: ann.password })

    beforeAll(async () => {
      await knexStorage(knex).migrate()
      await login()
      // The statement has been sent then. The server responds while the event loop is blocked.
      knex.on('query', () => {
        if (isDue) setImmediate(blockLoop)
        isDue = false
      })
    })
    afterAll(() => database.drop())

    it('uses the responses of the storage, the limiter and the user directory that have arrived', async () => {
      const { accessToken, refreshToken } = await block(login)
      await Promise.all(Array.from({ length: 20 }, () => block(() => service.authorize(accessToken))))
      await block(() => service.refresh(refreshToken))
      await block(() => service.revoke(accessToken))
      expect(errors).toEqual([])
    })
  },
)

const blockLoop = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, deadlineMs + 500)
