// Creates an empty database for a program, on a server of this machine.
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const postgresUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
// Counts down from 15, because people use the lower numbers. Programs that run concurrently get different databases.
let nextRedisDatabase = 15

/**
 * Creates the database that a program uses, with the driver in the program's folder. Resolves to the environment variables of the program
 * and the function `drop`, and to `undefined` when no server listens.
 */
export const prepareStore = async (code, folder) => {
  const load = createRequire(join(folder, 'package.json'))
  if (code.includes('DATABASE_URL')) return prepareUnlessRefused(() => preparePostgres(load('pg')))
  if (code.includes('REDIS_URL')) return prepareUnlessRefused(() => prepareRedis(load('redis')))
  return { variables: {}, drop: async () => {} }
}

const prepareUnlessRefused = async (prepare) => {
  try {
    return await prepare()
  } catch (error) {
    const { code } = error instanceof AggregateError ? error.errors[0] : error
    if (code === 'ECONNREFUSED') return undefined
    throw error
  }
}

const preparePostgres = async ({ Client }) => {
  const name = `jwt_auth_readme_${randomBytes(4).toString('hex')}`
  const query = async (sql) => {
    const client = new Client({ connectionString: postgresUrl })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await query(`CREATE DATABASE ${name}`)
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return { variables: { DATABASE_URL: url.href }, drop: () => query(`DROP DATABASE ${name} WITH (FORCE)`) }
}

const prepareRedis = async (redis) => {
  const number = nextRedisDatabase
  nextRedisDatabase -= 1
  if (number === 0) throw new Error(`no database from 1 to 15 of ${redisUrl} is empty`)
  return (await useRedisDatabase(redis, number)) ?? prepareRedis(redis)
}

/** Resolves to `undefined` when the database is not empty. */
const useRedisDatabase = async ({ createClient }, number) => {
  const url = new URL(redisUrl)
  url.pathname = `/${number}`
  const use = async (work) => {
    const client = createClient({ url: url.href, socket: { reconnectStrategy: false } })
    client.on('error', () => {}) // `connect` rejects with the error
    await client.connect()
    await work(client).finally(() => client.close())
  }
  let size = 0
  await use(async (client) => {
    size = await client.dbSize()
  })
  if (size > 0) return undefined
  return { variables: { REDIS_URL: url.href }, drop: () => use((client) => client.flushDb()) }
}
