import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, type TestContext } from 'vitest'
import { inFile } from './support/databases.js'
import { type DemoUser, demo, jane } from './support/demo-users.js'
import {
  alreadyRevoked,
  authenticated,
  invalidToken,
  loginFailed,
  noContent,
  reportsFor,
} from './support/expected-answers.js'
import {
  logIn,
  readTokens,
  refresh,
  requestRefresh,
  requestReports,
  requestRevocation,
  requestToken,
} from './support/flows.js'
import { holdLogin } from './support/held-request.js'
import { it } from './support/it.js'

const finished = { code: 0, signal: null, stdout: expect.stringMatching(/\nstopped\n$/), stderr: '' }
const cutOff = {
  ...finished,
  stdout: expect.stringMatching(/\nstopped, and aborted requests that did not finish in time\n$/),
}

const createKeepAliveAgent = (onTestFinished: TestContext['onTestFinished']): Agent => {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  return agent
}

const toLogin = ({ username, password }: DemoUser): string => {
  const body = JSON.stringify({ username, password })
  const headers = `Host: site\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /jwt-auth/v1/token HTTP/1.1\r\n${headers}\r\n\r\n${body}`
}

const readStatuses = (responses: string): readonly number[] =>
  [...responses.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

describe.concurrent('a host app that is told to stop', () => {
  it('leaves with 0 after its patience though a request never ends and a connection never speaks', async ({
    expect,
    onTestFinished,
    startProcess,
  }) => {
    const host = await startProcess()
    const silent = connect(Number(new URL(host.origin).port), '127.0.0.1').on('error', () => {})
    onTestFinished(() => {
      silent.destroy()
    })
    const login = await holdLogin(host.origin)
    const cut = expect(login.answer).rejects.toThrow()
    host.kill('SIGTERM')

    expect(await host.ended).toStrictEqual(cutOff)
    await cut
  })

  it.for(['SIGTERM', 'SIGINT'] as const)(
    'answers a request whose body is still being sent at %s, and leaves with 0',
    async (signal, { onTestFinished, startProcess }) => {
      const host = await startProcess()
      const login = await holdLogin(host.origin, createKeepAliveAgent(onTestFinished))
      host.kill(signal)
      await host.printed(signal)
      login.release()
      const answer = await login.answer

      expect(answer).toStrictEqual(authenticated(demo, readTokens(answer)))
      expect(await host.ended).toStrictEqual(finished)
    },
  )

  it('answers a request that came behind another one on the same connection', async ({
    onTestFinished,
    startProcess,
  }) => {
    const host = await startProcess()
    const socket = connect(Number(new URL(host.origin).port), '127.0.0.1')
    onTestFinished(() => {
      socket.destroy()
    })
    const received: string[] = []
    socket.setEncoding('utf8').on('data', (chunk: string) => received.push(chunk))
    const login = toLogin(demo)
    socket.write(`GET /health HTTP/1.1\r\nHost: site\r\n\r\n${login.slice(0, -10)}`)
    await once(socket, 'data')
    host.kill('SIGTERM')
    await host.printed('SIGTERM')
    socket.write(login.slice(-10))

    expect(await host.ended).toStrictEqual(finished)
    expect(readStatuses(received.join(''))).toStrictEqual([200, 200])
    expect(received.join('').match(/^Connection: .*/gm)).toStrictEqual(['Connection: keep-alive', 'Connection: close'])
  })

  it('answers a login whose password is still being hashed, and leaves with 0', async ({ startProcess }) => {
    const host = await startProcess({ BCRYPT_COST: '10' })
    const login = await holdLogin(host.origin)
    login.release()
    host.kill('SIGTERM')
    const answer = await login.answer

    expect(answer).toStrictEqual(authenticated(demo, readTokens(answer)))
    expect(await host.ended).toStrictEqual(finished)
  })

  it('responds to requests that arrived on an idle connection just before the signal', async ({
    onTestFinished,
    startProcess,
  }) => {
    const host = await startProcess({ BCRYPT_COST: '10' })
    const socket = connect(Number(new URL(host.origin).port), '127.0.0.1').setEncoding('utf8')
    onTestFinished(() => {
      socket.destroy()
    })
    const health = 'GET /health HTTP/1.1\r\nHost: site\r\n\r\n'
    socket.write(health)
    await once(socket, 'data')
    socket.write(`${toLogin(demo)}${health}`)
    host.kill('SIGTERM')

    expect(readStatuses(await text(socket))).toStrictEqual([200, 200])
    expect(await host.ended).toStrictEqual(finished)
  })

  it('does not wait for connections that are kept alive', async ({ onTestFinished, startProcess }) => {
    const host = await startProcess()
    const login = await holdLogin(host.origin, createKeepAliveAgent(onTestFinished))
    login.release()
    await login.answer
    host.kill('SIGTERM')

    expect(await host.ended).toStrictEqual(finished)
  })

  it('finishes what it has begun though it is told again', async ({ startProcess }) => {
    const host = await startProcess()
    const login = await holdLogin(host.origin)
    host.kill('SIGINT')
    await host.printed('SIGINT')
    host.kill('SIGINT')
    host.kill('SIGTERM')
    login.release()

    expect(await login.answer).toMatchObject({ status: 200 })
    expect(await host.ended).toStrictEqual(finished)
  })
})

describe.concurrent('a host app that starts again on its SQLite file', () => {
  it('keeps sessions whole after a kill when its secret is given', async ({ createDatabase, startProcess }) => {
    const { url: DATABASE_URL } = await createDatabase(inFile)
    const before = await startProcess({ DATABASE_URL })
    const [kept, revoked] = [await logIn(before), await logIn(before)]
    await requestRevocation(before, revoked.token)
    before.kill('SIGKILL')
    await before.ended
    const after = await startProcess({ DATABASE_URL })

    expect(await requestReports(after, kept.token)).toStrictEqual(reportsFor(demo))
    expect(await requestReports(after, revoked.token)).toStrictEqual(invalidToken)
    expect(await requestRevocation(after, revoked.token)).toStrictEqual(alreadyRevoked)

    const answer = await requestRefresh(after, kept.refreshToken)

    expect(answer).toStrictEqual(authenticated(demo, readTokens(answer)))
  })

  it('keeps refresh tokens after a kill when its secret is random', async ({ createDatabase, startProcess }) => {
    const { url: DATABASE_URL } = await createDatabase(inFile)
    const before = await startProcess({ DATABASE_URL, JWT_AUTH_SECRET: undefined })
    const { token, refreshToken } = await logIn(before)
    before.kill('SIGKILL')
    await before.ended
    const after = await startProcess({ DATABASE_URL, JWT_AUTH_SECRET: undefined })

    expect(await requestReports(after, token)).toMatchObject({ status: 401 })

    const next = await refresh(after, refreshToken)

    expect(await requestReports(after, next.token)).toStrictEqual(reportsFor(demo))
  })

  it('leaves a deleted demo user deleted', async ({ createDatabase, startProcess }) => {
    const { url: DATABASE_URL } = await createDatabase(inFile)
    const before = await startProcess({ DATABASE_URL })
    const { token } = await logIn(before)

    expect(await before.send('DELETE', '/api/account', { token, json: { password: demo.password } })).toStrictEqual(
      noContent,
    )

    before.kill('SIGTERM')
    await before.ended
    const after = await startProcess({ DATABASE_URL })

    expect(await requestToken(after, demo)).toStrictEqual(loginFailed)
    expect(await requestToken(after, jane)).toMatchObject({ status: 200 })
  })
})
