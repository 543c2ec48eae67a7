import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { describe, expect } from 'vitest'
import { StartError } from '../src/start-error.js'
import { demo, jane } from './support/demo-users.js'
import {
  alreadyRevoked,
  authenticated,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  noContent,
  reportsFor,
  tokenRevoked,
  validToken,
} from './support/expected-answers.js'
import {
  logIn,
  readTokens,
  refresh,
  requestRefresh,
  requestReports,
  requestRevocation,
  requestToken,
  requestValidation,
} from './support/flows.js'
import { it } from './support/it.js'
import { pasteIntoShells, readShellLines } from './support/shell.js'
import { startSilentServer } from './support/silent-server.js'
import { testVariables } from './support/site.js'

/** One line for whoever started it, that names the subject and ends with a reason; and nothing else. */
const refusal = (subject: RegExp) => ({
  code: 1,
  signal: null,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^(?=.*${subject.source}).*: .*\\S\\n$`)),
})

const password = 'hunter2'

const unusableDatabases = [
  ['a PostgreSQL server that is not there', `postgres://site:${password}@127.0.0.1:1/site`],
  ['a MySQL server that is not there', `mysql://site:${password}@127.0.0.1:1/site`],
  ['a SQLite file that is a folder', `sqlite:${tmpdir()}`],
] as const

const unusableUrls = [
  ['a password holds an @', `postgres://site:x@${password}@127.0.0.1:1/site`],
  ['a password stands in the query', `postgres://127.0.0.1:1/site?user=site&password=${password}`],
  ['a SQLite file lies below a file', 'sqlite:/dev/null/site.sqlite'],
  ['a SQLite file is no database', `sqlite:${fileURLToPath(import.meta.url)}`],
] as const

describe.concurrent('a host app that cannot start', () => {
  it.for(['postgres', 'mysql'])(
    'leaves with 1 and one line without a password for a %s:// server that says nothing',
    async (protocol, { expect, onTestFinished, spawnProcess }) => {
      const { port, stop } = await startSilentServer()
      onTestFinished(stop)
      const url = `${protocol}://site:${password}@127.0.0.1:${port}/site`
      const ending = await spawnProcess({ DATABASE_URL: url }).ended

      expect.soft(ending).toStrictEqual(refusal(/DATABASE_URL/))
      expect.soft(ending.stdout + ending.stderr).not.toContain(password)
    },
  )

  it.for(unusableDatabases)(
    'leaves with 1 and one line without a password for %s',
    async ([, url], { expect, spawnProcess }) => {
      const ending = await spawnProcess({ DATABASE_URL: url }).ended

      expect.soft(ending).toStrictEqual(refusal(/DATABASE_URL/))
      expect.soft(ending.stdout + ending.stderr).not.toContain(password)
    },
  )

  it('leaves with 1 and one line that names every wrong variable', async ({ expect, spawnProcess }) => {
    const ending = await spawnProcess({ PORT: 'eighty', BCRYPT_COST: '99', JWT_AUTH_SECRET: password }).ended

    expect.soft(ending).toStrictEqual(refusal(/PORT must.*JWT_AUTH_SECRET must.*BCRYPT_COST must/))
    expect.soft(ending.stdout + ending.stderr).not.toContain(password)
  })

  it('leaves with 1 and one line without the secret when it is long but weak', async ({ expect, spawnProcess }) => {
    const ending = await spawnProcess({ JWT_AUTH_SECRET: 'a'.repeat(40) }).ended

    expect.soft(ending).toStrictEqual(refusal(/JWT_AUTH_SECRET/))
    expect.soft(ending.stdout + ending.stderr).not.toContain('aaaa')
  })

  it('leaves with 1 and one line when its port is taken', async ({ onTestFinished, spawnProcess }) => {
    const { port, stop } = await startSilentServer()
    onTestFinished(stop)
    const ending = await spawnProcess({ PORT: String(port) }).ended

    expect(ending).toStrictEqual(refusal(new RegExp(`${port}.*EADDRINUSE`)))
  })
})

const whatIsThrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe.concurrent('startHost', () => {
  it.for(unusableUrls)('throws one line without a password when %s', async ([, url], { expect, startSiteOn }) => {
    const thrown = await whatIsThrown(startSiteOn(url))

    expect.soft(thrown).toBeInstanceOf(StartError)
    expect.soft(String(thrown)).toMatch(/^.*DATABASE_URL.*: .*\S$/)
    expect.soft(String(thrown)).not.toContain(password)
  })

  it('throws one line when its address is not of this machine', async ({ expect, startSiteOn }) => {
    // RFC 5737: an address that is nobody's.
    const thrown = await whatIsThrown(startSiteOn('memory:', { HOST: '203.0.113.7' }))

    expect.soft(thrown).toBeInstanceOf(StartError)
    expect.soft(String(thrown)).toMatch(/^.*203\.0\.113\.7.*: .*\S$/)
  })
})

const servers = (await findDatabases()).filter(({ name }) => name !== 'SQLite')

describeEach(servers, 'two processes that start concurrently on an empty $name database', (kind) => {
  it('are one service', async ({ createDatabase, startProcess }) => {
    const { url: DATABASE_URL } = await createDatabase(kind)
    const [one, other] = await Promise.all([startProcess({ DATABASE_URL }), startProcess({ DATABASE_URL })])
    const [first, second, ofJane] = [await logIn(one), await logIn(other), await logIn(other, jane)]

    expect(await requestReports(other, first.token)).toStrictEqual(reportsFor(demo))
    expect(await requestRevocation(one, first.token)).toStrictEqual(tokenRevoked)
    expect(await requestReports(other, first.token)).toStrictEqual(invalidToken)
    expect(await requestRefresh(other, first.refreshToken)).toStrictEqual(invalidRefreshToken)
    expect(await requestRevocation(other, first.token)).toStrictEqual(alreadyRevoked)

    const pairs = await Promise.all([refresh(one, second.refreshToken), refresh(other, second.refreshToken)])

    expect(pairs[1].refreshToken).toBe(pairs[0].refreshToken)
    expect(pairs[1].token).not.toBe(pairs[0].token)
    for (const { token } of pairs) {
      expect(await requestValidation(one, token)).toStrictEqual(validToken)
      expect(await requestValidation(other, token)).toStrictEqual(validToken)
    }

    expect(
      await other.send('DELETE', '/api/account', { token: ofJane.token, json: { password: jane.password } }),
    ).toStrictEqual(noContent)
    expect(await requestReports(one, ofJane.token)).toStrictEqual(invalidToken)
    expect(await requestToken(one, jane)).toStrictEqual(loginFailed)
  })
})

const randomSecretNotice = /JWT_AUTH_SECRET.*random.*access tokens end with this process/

describe.concurrent('a host app that starts', () => {
  it('prints where it listens, and lines for bash, dash and zsh that show what their comments say', async ({
    startFromSources,
    signal,
  }) => {
    const host = await startFromSources({ BASE_PATH: '/wp-json' })
    const printed = await host.printed('Stop with')
    const lines = readShellLines(printed)

    expect(printed).not.toMatch(randomSecretNotice)
    expect(printed).not.toContain(testVariables.JWT_AUTH_SECRET)
    expect(printed).toContain(`${host.origin}/wp-json/\n`)
    expect(host.origin).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    for (const { statuses, bodies } of await pasteIntoShells(lines, signal)) {
      const [login, reports, refreshed, revoked, refused] = bodies

      expect(statuses).toStrictEqual(lines.flatMap((line) => /^# (\d+): /.exec(line)?.[1] ?? []))
      for (const pair of [login, refreshed]) {
        const tokens = readTokens({ status: 200, body: pair })
        const { body } = authenticated(demo, tokens)

        // The access token is shown under one of its two names.
        expect({ ...pair, access_token: tokens.token }).toStrictEqual(body)
        expect(pair).not.toHaveProperty('access_token')
      }
      expect(reports).toStrictEqual(reportsFor(demo).body)
      expect(revoked).toStrictEqual(tokenRevoked.body)
      expect(refused).toStrictEqual(invalidToken.body)
    }
  })

  it('says that access tokens end with it when its secret is random', async ({ startProcess }) => {
    const host = await startProcess({ JWT_AUTH_SECRET: undefined })

    expect(await host.printed('listening on ')).toMatch(randomSecretNotice)
  })
})
