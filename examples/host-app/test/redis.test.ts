import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findRedis, isPresent } from '@jwt-auth/test-support'
import { needs } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, vi } from 'vitest'
import { demo, jane } from './support/demo-users.js'
import {
  authenticated,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  noContent,
  reportsFor,
  tokenRevoked,
} from './support/expected-answers.js'
import { logIn, readTokens, requestRefresh, requestReports, requestRevocation, requestToken } from './support/flows.js'
import { type ListeningProcess, type ProcessVariables, whenListening } from './support/host-process.js'
import { it as siteIt } from './support/it.js'
import { claimRedisDatabase, type RedisDatabase } from './support/redis.js'
import { startRelay } from './support/relay.js'
import { startSilentServer } from './support/silent-server.js'

const redis = await findRedis()
let database: RedisDatabase | undefined
beforeAll(async () => {
  database = isPresent(redis) ? await claimRedisDatabase(redis.url) : undefined
})
afterAll(() => database?.drop())
const databaseUrl = (): string => database?.url ?? ''

interface Fixtures {
  /** Copies the program into a folder of its own: the users' SQLite file lies in that folder. */
  readonly installProgram: () => Promise<readonly string[]>
  /** Starts an installed program. */
  readonly start: (program: readonly string[], variables?: ProcessVariables) => Promise<ListeningProcess>
}

const it = siteIt.extend<Fixtures>({
  installProgram: ({ bundle: [bundle = ''], onTestFinished }, use) =>
    use(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-host-app-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      await cp(dirname(bundle), join(folder, 'src'), { recursive: true })
      return [join(folder, 'src', 'main.mjs')]
    }),

  start: ({ spawnProcess }, use) =>
    use((program, variables) => whenListening(spawnProcess({ DATABASE_URL: databaseUrl(), ...variables }, program))),
})

const password = 'hunter2'
const explained = /^host-app: cannot use the database rediss?:\/\/.* \(DATABASE_URL\): .*\S\n$/

// One after the other: each test starts up to three processes.
describe('a host app on Redis', needs(redis), () => {
  it('is one service with another process', async ({ expect, installProgram, start }) => {
    const program = await installProgram()
    const [one, other] = await Promise.all([start(program), start(program)])
    const [revoked, refreshed, ofJane] = [await logIn(one), await logIn(other), await logIn(other, jane)]

    expect(await requestReports(other, revoked.token)).toStrictEqual(reportsFor(demo))
    expect(await requestRevocation(one, revoked.token)).toStrictEqual(tokenRevoked)
    expect(await requestReports(other, revoked.token)).toStrictEqual(invalidToken)
    expect(await requestRefresh(other, revoked.refreshToken)).toStrictEqual(invalidRefreshToken)

    const answer = await requestRefresh(one, refreshed.refreshToken)

    expect(answer).toStrictEqual(authenticated(demo, readTokens(answer)))
    expect(
      await other.send('DELETE', '/api/account', { token: ofJane.token, json: { password: jane.password } }),
    ).toStrictEqual(noContent)
    expect(await requestReports(one, ofJane.token)).toStrictEqual(invalidToken)
    expect(await requestToken(one, jane)).toStrictEqual(loginFailed)
  })

  it('shares sessions but no accounts with a process in another folder', async ({ expect, installProgram, start }) => {
    const [here, there] = [await start(await installProgram()), await start(await installProgram())]
    const { token } = await logIn(here, jane)

    expect(await requestReports(there, token)).toStrictEqual(reportsFor(jane))
    expect(await here.send('DELETE', '/api/account', { token, json: { password: jane.password } })).toStrictEqual(
      noContent,
    )
    expect(await requestReports(there, token)).toStrictEqual(invalidToken)
    expect(await requestToken(here, jane)).toStrictEqual(loginFailed)
    expect(await requestToken(there, jane)).toMatchObject({ status: 200 })
  })

  it('names both stores, stops without an error, and keeps sessions and accounts', async ({
    expect,
    installProgram,
    start,
  }) => {
    const program = await installProgram()
    const before = await start(program)
    const [kept, ofJane] = [await logIn(before), await logIn(before, jane)]
    await before.send('DELETE', '/api/account', { token: ofJane.token, json: { password: jane.password } })
    before.kill('SIGINT')

    expect(await before.ended).toMatchObject({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(/^sessions: redis:.*\nusers: sqlite:.*\/data\/host\.sqlite\n/),
      stderr: '',
    })

    const after = await start(program)

    expect(await requestReports(after, kept.token)).toStrictEqual(reportsFor(demo))
    expect(await requestToken(after, jane)).toStrictEqual(loginFailed)
  })

  it('responds with 503 while Redis is unavailable, and recovers', async ({
    expect,
    installProgram,
    onTestFinished,
    start,
  }) => {
    const { hostname: host, port, pathname } = new URL(databaseUrl())
    const relay = await startRelay({ host, port: Number(port) })
    onTestFinished(() => relay.close())
    const site = await start(await installProgram(), { DATABASE_URL: `redis://127.0.0.1:${relay.port}${pathname}` })
    const { token } = await logIn(site)
    await relay.close()

    expect(await requestReports(site, token)).toMatchObject({ status: 503 })
    expect(await site.send('GET', '/health')).toMatchObject({ status: 200 })

    await relay.reopen()
    await vi.waitFor(async () => expect(await requestReports(site, token)).toStrictEqual(reportsFor(demo)), 60_000)
    await relay.close()
    site.kill('SIGTERM')

    expect(await site.ended).toMatchObject({ code: 0, signal: null })
  })

  it.for([
    ['nothing listens', 'redis://127.0.0.1:1'],
    ['the password is wrong', `redis://site:${password}@${redis.url.host}`],
    ['the URL has no database number', `redis://:${password}@127.0.0.1:6379/site?password=${password}`],
  ])(
    'leaves with 1 and one line without a password when %s',
    async ([, url], { expect, installProgram, spawnProcess }) => {
      const ending = await spawnProcess({ DATABASE_URL: url }, await installProgram()).ended

      expect(ending).toMatchObject({ code: 1, signal: null, stdout: '', stderr: expect.stringMatching(explained) })
      expect(ending.stderr).not.toContain(password)
    },
  )

  it('leaves with 1 and one line when the server says nothing', async ({
    expect,
    installProgram,
    onTestFinished,
    spawnProcess,
  }) => {
    const { port, stop } = await startSilentServer()
    onTestFinished(stop)
    const url = `redis://site:${password}@127.0.0.1:${port}`
    const ending = await spawnProcess({ DATABASE_URL: url }, await installProgram()).ended

    expect(ending).toMatchObject({ code: 1, signal: null, stdout: '', stderr: expect.stringMatching(explained) })
    expect(ending.stderr).not.toContain(password)
  })
})
