import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findRedis, isPresent } from '@jwt-auth/test-support'
import { createClient } from 'redis'
import { type ListeningProcess, whenListening } from './host-process.js'
import { it as siteIt } from './it.js'

export const redis = await findRedis()

/** What a test on Redis can start. */
interface Fixtures {
  /** The URL of a Redis database that only one test file uses. */
  readonly redisUrl: string
  /** Copies the program into a new folder: the SQLite file of the users is in that folder. */
  readonly installProgram: () => Promise<readonly string[]>
  /** Starts an installed program and waits until it listens. */
  readonly start: (program: readonly string[]) => Promise<ListeningProcess>
}

/** Tests of the host app on Redis. */
export const it = siteIt.extend<Fixtures>({
  redisUrl: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this parameter.
    async ({}, use) => {
      if (!isPresent(redis)) return use('')
      const database = await claimDatabase(redis.url)
      await use(database.url)
      await database.drop()
    },
    { scope: 'file' },
  ],

  installProgram: ({ bundle: [bundle = ''], onTestFinished }, use) =>
    use(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-host-app-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      await cp(dirname(bundle), join(folder, 'src'), { recursive: true })
      return [join(folder, 'src', 'main.mjs')]
    }),

  start: ({ redisUrl, spawnProcess }, use) =>
    use((program) => whenListening(spawnProcess({ DATABASE_URL: redisUrl }, program))),
})

interface ClaimedDatabase {
  readonly url: string
  /** Deletes all keys of the database. */
  readonly drop: () => Promise<void>
}

const marker = 'jwt-auth-test:database'
const claim = 'jwt-auth-test:claim'
const maxRunSeconds = 600

/** Claims a numbered database of a Redis server: an empty one, or one that an interrupted run of these tests has marked. */
const claimDatabase = async (server: URL): Promise<ClaimedDatabase> => {
  const url = new URL(server)
  for (let number = 15; number > 0; number -= 1) {
    url.pathname = `/${number}`
    const options = { url: url.href, socket: { reconnectStrategy: false } } as const
    const client = await createClient(options)
      .on('error', () => {})
      .connect()
    const isFree = (await client.exists(marker)) === 1 || (await client.dbSize()) === 0
    const expiration = { type: 'EX', value: maxRunSeconds } as const
    if (isFree && (await client.set(claim, process.pid, { condition: 'NX', expiration })) !== null) {
      await client.set(marker, 'tests')
      const drop = async (): Promise<void> => {
        await client.flushDb()
        await client.close()
      }
      return { url: url.href, drop }
    }
    await client.close()
  }
  throw new Error(`Every database of the Redis at ${server.host} is in use.`)
}
