import { findDatabases } from '@jwt-auth/test-support'
import { describeEach, needs } from '@jwt-auth/test-support/describe-each'
import { describe, expect } from 'vitest'
import {
  demo,
  jane,
  logIn,
  type Reachable,
  readTokens,
  refresh,
  requestRefresh,
  requestReports,
  requestRevocation,
  requestToken,
  type Tokens,
} from './support/client.js'
import {
  authenticated,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  noContent,
  reportsFor,
  tokenRevoked,
} from './support/expected-responses.js'
import { it } from './support/it.js'
import { redis, it as redisIt } from './support/redis.js'

const servers = (await findDatabases()).filter(({ name }) => name !== 'SQLite')

/** Expects two processes on one database to be one service: a short story of two users. Resolves to tokens of a session that remains. */
const expectOneService = async (one: Reachable, other: Reachable): Promise<Tokens> => {
  const [first, second, ofJane] = [await logIn(one), await logIn(other), await logIn(other, jane)]

  expect(await requestReports(other, first.token)).toStrictEqual(reportsFor(demo))
  expect(await requestRevocation(one, first.token)).toStrictEqual(tokenRevoked)
  expect(await requestReports(other, first.token)).toStrictEqual(invalidToken)
  expect(await requestRefresh(other, first.refreshToken)).toStrictEqual(invalidRefreshToken)

  const pairs = await Promise.all([refresh(one, second.refreshToken), refresh(other, second.refreshToken)])
  expect(pairs[1].refreshToken).toBe(pairs[0].refreshToken)

  // One of two concurrent password changes wins, and ends the sessions of before.
  const passwords = ['the first new passphrase', 'the second new passphrase']
  const changes = await Promise.all(
    [one, other].map(({ send }, index) =>
      send('PUT', '/api/account/password', {
        token: pairs[0].token,
        json: { current_password: demo.password, new_password: passwords[index] },
      }),
    ),
  )
  // The later one fails at the guard when its session has ended by then.
  expect(changes.map(({ status }) => (status === 401 ? 403 : status)).toSorted()).toStrictEqual([200, 403])
  const changed = { ...demo, password: passwords[changes.findIndex(({ status }) => status === 200)] ?? '' }
  expect(await requestReports(other, pairs[0].token)).toStrictEqual(invalidToken)
  expect(await requestToken(other)).toStrictEqual(loginFailed)
  const login = await requestToken(other, changed)
  expect(login).toStrictEqual(authenticated(demo, readTokens(login)))

  const deletion = { token: ofJane.token, json: { password: jane.password } }
  expect(await other.send('DELETE', '/api/account', deletion)).toStrictEqual(noContent)
  expect(await requestReports(one, ofJane.token)).toStrictEqual(invalidToken)
  expect(await requestToken(one, jane)).toStrictEqual(loginFailed)
  return readTokens(login)
}

describeEach(servers, 'two processes that start concurrently on an empty $name database', (kind) => {
  it('are one service', async ({ createDatabase, startProcess }) => {
    const { url: DATABASE_URL } = await createDatabase(kind)
    const [one, other] = await Promise.all([startProcess({ DATABASE_URL }), startProcess({ DATABASE_URL })])

    await expectOneService(one, other)
  })
})

describe('processes of the host app on one Redis', needs(redis), () => {
  redisIt(
    'are one service in one folder, and keep their sessions when they stop',
    async ({ installProgram, start }) => {
      const program = await installProgram()
      const [one, other] = await Promise.all([start(program), start(program)])
      const { token } = await expectOneService(one, other)
      one.kill('SIGINT')

      expect(await one.ended).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^sessions: redis:.*\nusers: sqlite:.*\/data\/host\.sqlite\n/),
        stderr: '',
      })
      expect(await requestReports(await start(program), token)).toStrictEqual(reportsFor(demo))
    },
  )

  redisIt('share sessions but no accounts in two folders', async ({ installProgram, start }) => {
    const [here, there] = [await start(await installProgram()), await start(await installProgram())]
    const { token } = await logIn(here, jane)
    const deletion = { token, json: { password: jane.password } }

    expect(await requestReports(there, token)).toStrictEqual(reportsFor(jane))
    expect(await here.send('DELETE', '/api/account', deletion)).toStrictEqual(noContent)
    expect(await requestReports(there, token)).toStrictEqual(invalidToken)
    expect(await requestToken(here, jane)).toStrictEqual(loginFailed)
    expect(await requestToken(there, jane)).toMatchObject({ status: 200 })
  })
})
