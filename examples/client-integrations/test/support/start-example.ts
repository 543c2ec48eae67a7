import type { RequestListener } from 'node:http'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { onTestFinished } from 'vitest'
import { startServer } from '../../src/server.js'

export const credentials = { username: 'ada', password: 'correct horse battery staple' }

const notFound: RequestListener = (_, res) => res.writeHead(404).end()

/** Starts the server of the examples with a clock that the test moves. The server stops with the test. */
export const startExample = async (servePage: RequestListener = notFound, bind?: 'refresh-tokens' | 'all-tokens') => {
  const clock = createTestClock()
  const options = withSystem({ now: clock.now })
  const { server, origin, auth, close } = await startServer({ servePage, options, cost: 4, bind })
  const paths: (string | undefined)[] = []
  server.prependListener('request', ({ url }) => paths.push(url))
  onTestFinished(async () => {
    server.closeAllConnections()
    await close()
  })
  return {
    origin,
    baseUrl: `${origin}/jwt-auth/v1`,
    server,
    expireAccessTokens: () => clock.advanceSeconds(3_601),
    countRefreshes: () => paths.filter((path) => path === '/jwt-auth/v1/token/refresh').length,
    countSessions: async () => (await auth.sessions.list(1)).length,
    listBound: async () => (await auth.sessions.list(1)).map(({ isBound }) => isBound),
    endSessions: () => auth.sessions.revokeAll(1),
  }
}
