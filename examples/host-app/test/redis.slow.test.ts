import { needs } from '@jwt-auth/test-support/describe-each'
import { describe, vi } from 'vitest'
import { demo, jane } from './support/demo-users.js'
import { invalidToken, loginFailed, noContent, reportsFor } from './support/expected-responses.js'
import { logIn, requestReports, requestToken } from './support/flows.js'
import { it, redis } from './support/redis-it.js'
import { startRelay } from './support/relay.js'

const password = 'hunter2'

// One after the other: each test starts up to two processes.
describe('a host app on Redis', needs(redis), () => {
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
    redisUrl,
    start,
  }) => {
    const { hostname: host, port, pathname } = new URL(redisUrl)
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

  it('exits with 1 and one line without a password when the password is wrong', async ({
    expect,
    installProgram,
    spawnProcess,
  }) => {
    const url = `redis://site:${password}@${redis.url.host}`
    const ending = await spawnProcess({ DATABASE_URL: url }, await installProgram()).ended
    const stderr = expect.stringMatching(/^host-app: cannot use the database redis:\/\/.* \(DATABASE_URL\): .*\S\n$/)

    expect(ending).toMatchObject({ code: 1, signal: null, stdout: '', stderr })
    expect(ending.stderr).not.toContain(password)
  })
})
