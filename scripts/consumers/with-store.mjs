// Gives a program an empty database on a server of this machine.
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Calls `use` with the environment variable of the program's database, and then removes the
 * database. Uses the driver in the program's folder. Resolves to `false` when no server listens.
 */
export const withStore = async (code, folder, use) => {
  const load = createRequire(join(folder, 'package.json'))
  try {
    if (code.includes('DATABASE_URL')) await withPostgres(load('pg'), use)
    else if (code.includes('REDIS_URL')) await withRedis(load('redis'), use)
    else await use({})
    return true
  } catch (error) {
    const { code } = error instanceof AggregateError ? error.errors[0] : error
    if (code === 'ECONNREFUSED') return false
    throw error
  }
}

// Counts down, because people use the lower numbers. Each program gets another database.
let nextRedisDatabase = 15

const withPostgres = async ({ Client }, use) => {
  const url = new URL(process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test')
  const name = `jwt_auth_readme_${randomBytes(4).toString('hex')}`
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${name}`)
    url.pathname = `/${name}`
    await use({ DATABASE_URL: url.href })
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).finally(() => client.end())
  }
}

const withRedis = async ({ createClient }, use) => {
  const url = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379')
  const client = createClient({ url: url.href, socket: { reconnectStrategy: false } })
  client.on('error', () => {}) // `connect` rejects with the error
  await client.connect()
  try {
    do {
      url.pathname = `/${nextRedisDatabase}`
      await client.select(nextRedisDatabase--)
    } while ((await client.dbSize()) > 0)
    await use({ REDIS_URL: url.href }).finally(() => client.flushDb())
  } finally {
    await client.close()
  }
}
