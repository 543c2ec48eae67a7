import type { IncomingMessage } from 'node:http'
import { readMember } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import type { JwtAuth, Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import { openSession, sessionOf } from './support/flows.js'
import { type Framework, frameworks } from './support/frameworks.js'
import { createLatch } from './support/latch.js'
import { readRawResponse, sendText } from './support/raw-request.js'
import { startHost } from './support/test-host.js'

/** What a handler sees of the caller: the session by `getOptionalAuth`, and by `req.auth`. */
type Seen = readonly [path: string, byGetAuth: string | undefined, byMember: unknown]

const look = (path: string, req: IncomingMessage, auth: JwtAuth): Seen => [
  path,
  auth.getOptionalAuth(req)?.sessionId,
  readMember(req, 'auth', 'sessionId'),
]

/** A host with a guarded route and an unguarded one. Their handlers run `wait`, and then note what they see. */
const startWitness = async (framework: Framework, wait: (req: IncomingMessage) => Promise<void>) => {
  const seen: Seen[] = []
  const witness =
    (path: string, auth: JwtAuth): Middleware =>
    (req, res) => {
      void wait(req).then(() => {
        seen.push(look(path, req, auth))
        res.end('seen')
      })
    }
  const host = await startHost(framework, {
    routes: (auth) => [
      { path: '/guarded', run: auth.guard() },
      { path: '/guarded', run: witness('/guarded', auth) },
      { path: '/open', run: witness('/open', auth) },
    ],
  })
  return { ...host, seen }
}

const request = (path: string, headers: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n')

const withToken = (token: string): string => `Authorization: Bearer ${token}`

describe.each(byName(frameworks))('requests that share a connection on %s', (_, framework) => {
  it('have each their own auth when they are pipelined and all handlers wait', async () => {
    const gate = createLatch()
    let waiting = 0
    const host = await startWitness(framework, () => {
      waiting += 1
      if (waiting === 3) gate.open()
      return gate.pass()
    })
    const [first, second] = [await openSession(host), await openSession(host)]
    const pipelined = [
      request('/guarded', [withToken(first.token)]),
      request('/guarded', [withToken(second.token)]),
      request('/open', ['Connection: close']),
    ]
    await readRawResponse(sendText(host.port, pipelined.join('')))

    expect(new Set(host.seen)).toStrictEqual(
      new Set([
        ['/guarded', sessionOf(first.token), sessionOf(first.token)],
        ['/guarded', sessionOf(second.token), sessionOf(second.token)],
        ['/open', undefined, undefined],
      ]),
    )
  })
})
