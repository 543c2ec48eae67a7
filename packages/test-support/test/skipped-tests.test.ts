import { afterEach, describe, expect, it, vi } from 'vitest'
import { findDatabases, findRedis } from '../src/databases.js'
import { needs } from '../src/describe-each.js'
import { describeMissing } from '../src/missing-servers.js'
import { explainMissing, isPresent } from '../src/prerequisite.js'
import { describeSkipped } from '../src/skip-summary.js'

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

describe('a server that a variable names', () => {
  it('is present without a look at its port, so that a wrong variable fails the tests', async () => {
    vi.stubEnv('TEST_POSTGRES_URL', `postgres://${nowhere}/test`)
    vi.stubEnv('TEST_REDIS_URL', `redis://${nowhere}`)
    expect((await findDatabases()).filter(isPresent).map(({ name }) => name)).toContain('PostgreSQL')
    expect(isPresent(await findRedis())).toBe(true)
  })
})

describe('the servers that a command has to do without', () => {
  it('are none where variables name them all', async () => {
    vi.stubEnv('TEST_POSTGRES_URL', `postgres://${nowhere}/test`)
    vi.stubEnv('TEST_MYSQL_URL', `mysql://${nowhere}/test`)
    vi.stubEnv('TEST_REDIS_URL', `redis://${nowhere}`)
    expect(await describeMissing()).toEqual([])
  })
})

describe('the summary of skipped tests', () => {
  it('names each reason once, with the number of tests', () => {
    const reasons = ['nothing listens at 127.0.0.1:5432.', 'redis-server is not installed.']
    expect(describeSkipped([...reasons, 'nothing listens at 127.0.0.1:5432.'])).toBe(
      `
Skipped 3 tests. All other tests ran.
  2 tests: nothing listens at 127.0.0.1:5432.
  1 test: redis-server is not installed.

`,
    )
  })
})
