import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { readResponse } from '@jwt-auth/test-support/http-client'
import { describe, expect, type TestContext } from 'vitest'
import { type DemoUser, demo, type JsonResponse, readTokens, toJsonResponse } from './support/client.js'
import { authenticated } from './support/expected-responses.js'
import { it } from './support/it.js'
import { inMemory } from './support/site.js'

/** A login of which the server has received the head, but not the body. */
interface HeldLogin {
  /** Sends the body. */
  readonly release: () => void
  /** Rejects when the connection is cut. */
  readonly response: Promise<JsonResponse>
}

/** Sends the head of a login, and waits until the server asks for the body (RFC 9110, section 10.1.1). */
const holdLogin = async (origin: string, agent?: Agent): Promise<HeldLogin> => {
  const body = JSON.stringify({ username: demo.username, password: demo.password })
  const outgoing = request(`${origin}/jwt-auth/v1/token`, {
    method: 'POST',
    agent,
    headers: { 'Content-Type': 'application/json', 'Content-Length': body.length, Expect: '100-continue' },
  })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.write(body.slice(0, 10))
  return { release: () => outgoing.end(body.slice(10)), response: readResponse(outgoing).then(toJsonResponse) }
}

type OnTestFinished = TestContext['onTestFinished']

const createKeepAliveAgent = (onTestFinished: OnTestFinished): Agent => {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  return agent
}

const connectTo = (origin: string, onTestFinished: OnTestFinished): Socket => {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  return socket.on('error', () => {}).setEncoding('utf8')
}

const toLogin = ({ username, password }: DemoUser): string => {
  const body = JSON.stringify({ username, password })
  const headers = `Host: site\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /jwt-auth/v1/token HTTP/1.1\r\n${headers}\r\n\r\n${body}`
}

const health = 'GET /health HTTP/1.1\r\nHost: site\r\n\r\n'

const readStatuses = (responses: string): readonly number[] =>
  [...responses.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

describe.concurrent('a host app that stops', () => {
  it('responds to a request whose body is still being sent', async ({ onTestFinished, startSite }) => {
    const site = await startSite(inMemory)
    const login = await holdLogin(site.origin, createKeepAliveAgent(onTestFinished))
    const stopped = site.stop()
    login.release()
    const response = await login.response

    expect(response).toStrictEqual(authenticated(demo, readTokens(response)))
    expect(await stopped).toBe('finished')
  })

  it('responds to a login whose password is still being hashed', async ({ startSite }) => {
    const site = await startSite(inMemory, { BCRYPT_COST: '10' })
    const login = await holdLogin(site.origin)
    login.release()
    const stopped = site.stop()
    const response = await login.response

    expect(response).toStrictEqual(authenticated(demo, readTokens(response)))
    expect(await stopped).toBe('finished')
  })

  it('responds to requests that arrived on an idle connection just before', async ({ onTestFinished, startSite }) => {
    const site = await startSite(inMemory, { BCRYPT_COST: '10' })
    const socket = connectTo(site.origin, onTestFinished)
    socket.write(health)
    await once(socket, 'data')
    socket.write(`${toLogin(demo)}${health}`)
    const stopped = site.stop()

    expect(readStatuses(await text(socket))).toStrictEqual([200, 200])
    expect(await stopped).toBe('finished')
  })

  it('cuts a request that never ends and a connection that never sends', async ({
    expect,
    onTestFinished,
    startSite,
  }) => {
    const site = await startSite(inMemory)
    connectTo(site.origin, onTestFinished)
    const login = await holdLogin(site.origin)
    const cut = expect(login.response).rejects.toThrow()

    expect(await site.stop()).toBe('aborted')
    await cut
  })
})

describe.concurrent('a process of the host app', () => {
  it.for(['SIGTERM', 'SIGINT'] as const)(
    'responds to the request in flight at %s, ignores further signals, and exits with 0',
    async (signal, { startProcess }) => {
      const host = await startProcess()
      const login = await holdLogin(host.origin)
      host.kill(signal)
      await host.printed(signal)
      host.kill('SIGINT')
      host.kill('SIGTERM')
      login.release()

      expect(await login.response).toMatchObject({ status: 200 })
      const stdout = expect.stringMatching(/\nstopped\n$/)
      expect(await host.ended).toStrictEqual({ code: 0, signal: null, stdout, stderr: '' })
    },
  )
})
