import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeMissing, findDatabases, findRedis } from '../src/databases.js'
import { needs } from '../src/describe-each.js'
import { explainMissing } from '../src/prerequisite.js'
import { describeSkipped } from '../src/reporters.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

// The discard port, where nothing listens.
const nowhere = '127.0.0.1:9'

const withoutServers = (): void => {
  vi.stubEnv('REQUIRE_DATABASES', undefined)
  for (const name of ['TEST_POSTGRES_URL', 'TEST_MYSQL_URL', 'TEST_REDIS_URL']) vi.stubEnv(name, undefined)
}

describe('a missing prerequisite', () => {
  it('is explained, and is an error where REQUIRE_DATABASES is 1', () => {
    withoutServers()
    expect(explainMissing(true, 'Install it.')).toBeUndefined()
    expect(explainMissing(false, 'Install it.')).toBe('Install it.')
    vi.stubEnv('REQUIRE_DATABASES', '1')
    expect(() => explainMissing(false, 'Install it.')).toThrow('REQUIRE_DATABASES is set, but Install it.')
  })

  it('does not depend on the variable CI', () => {
    withoutServers()
    vi.stubEnv('CI', 'true')
    expect(explainMissing(false, 'Install it.')).toBe('Install it.')
  })

  it('skips a test that needs it', () => {
    expect(needs({ name: 'one' })).toEqual({})
    expect(needs({ name: 'one', missing: 'Install it.' })).toEqual({ skip: true, meta: { missing: 'Install it.' } })
  })
})

describe('a server in a variable', () => {
  it('is an error that names the variable, when nothing listens there', async () => {
    withoutServers()
    vi.stubEnv('TEST_POSTGRES_URL', `postgres://${nowhere}/test`)
    await expect(findDatabases()).rejects.toThrow(`TEST_POSTGRES_URL: nothing listens at ${nowhere}.`)
    vi.stubEnv('TEST_POSTGRES_URL', undefined)
    vi.stubEnv('TEST_REDIS_URL', `redis://${nowhere}`)
    await expect(findRedis()).rejects.toThrow(`TEST_REDIS_URL: nothing listens at ${nowhere}.`)
    await expect(describeMissing()).rejects.toThrow('TEST_REDIS_URL')
  })

  it('is an error when the variable is not a URL, and is ignored when the variable is empty', async () => {
    withoutServers()
    vi.stubEnv('TEST_MYSQL_URL', 'garbage')
    await expect(findDatabases()).rejects.toThrow('TEST_MYSQL_URL must be a URL, such as mysql://')
    vi.stubEnv('TEST_MYSQL_URL', '')
    await expect(findDatabases()).resolves.toHaveLength(3)
  })

  it('is missing when the variable is none', async () => {
    withoutServers()
    vi.stubEnv('TEST_MYSQL_URL', 'none')
    const databases = await findDatabases()
    expect(databases.map(({ missing }) => missing).at(-1)).toBe('TEST_MYSQL_URL is `none`. Unset TEST_MYSQL_URL.')
  })

  it('is an error when the server refuses the login', async () => {
    withoutServers()
    const server = createServer((socket) => socket.on('error', () => {}).end()).listen(0, '127.0.0.1')
    onTestFinished(() => {
      server.close()
    })
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    vi.stubEnv('TEST_POSTGRES_URL', `postgres://127.0.0.1:${port}/test`)
    await expect(findDatabases()).rejects.toThrow(
      /^TEST_POSTGRES_URL: the server at .* refuses the login or the database/,
    )
  })
})

describe('the summary of skipped tests', () => {
  it('names each reason once, with the number of tests', () => {
    const reasons = ['nothing listens at 127.0.0.1:5432.', 'redis-server is not installed.']
    expect(describeSkipped([...reasons, 'nothing listens at 127.0.0.1:5432.'])).toBe(
      `
Skipped 3 tests:
  2 tests: nothing listens at 127.0.0.1:5432.
  1 test: redis-server is not installed.

`,
    )
  })
})
