import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findRedis, isPresent } from '@jwt-auth/test-support'
import { type ListeningProcess, type ProcessVariables, whenListening } from './host-process.js'
import { it as siteIt } from './it.js'
import { claimRedisDatabase } from './redis.js'

export const redis = await findRedis()

/** What a test on Redis can create and start. */
interface Fixtures {
  /** The URL of a Redis database that only one test file uses. */
  readonly redisUrl: string
  /** Copies the program into a new folder: the SQLite file of the users is in that folder. */
  readonly installProgram: () => Promise<readonly string[]>
  /** Starts an installed program and waits until it listens. */
  readonly start: (program: readonly string[], variables?: ProcessVariables) => Promise<ListeningProcess>
}

/** Tests of the host app on Redis. */
export const it = siteIt.extend<Fixtures>({
  redisUrl: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this parameter.
    async ({}, use) => {
      if (!isPresent(redis)) return use('')
      const database = await claimRedisDatabase(redis.url)
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
    use((program, variables) => whenListening(spawnProcess({ DATABASE_URL: redisUrl, ...variables }, program))),
})
