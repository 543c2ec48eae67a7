import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { fileURLToPath } from 'node:url'
import { jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { findChromium } from '@jwt-auth/test-support/browser'
import { selfSigned } from '@jwt-auth/test-support/certificate'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'

// What many pages do with axios: each request that gets a 401 refreshes with the newest refresh token, and is sent again.
const page = `
  import axios from 'axios'
  let tokens
  const api = axios.create()
  api.interceptors.request.use((config) => {
    config.headers.set('Authorization', 'Bearer ' + tokens.token)
    return config
  })
  api.interceptors.response.use(undefined, async (error) => {
    if (error.response?.status !== 401 || error.config.isRepeated) throw error
    tokens = (await axios.post('/jwt-auth/v1/token/refresh', { refresh_token: tokens.refresh_token })).data
    return api.request({ ...error.config, isRepeated: true })
  })
  window.logIn = async () => {
    tokens = (await axios.post('/jwt-auth/v1/token', { username: 'ada', password: 'lovelace' })).data
  }
  window.load = (count) =>
    Promise.all(
      Array.from({ length: count }, (_, number) =>
        api.get('/reports/' + number).then(({ status }) => status, (error) => error.response?.status ?? error.message),
      ),
    )
`

const startServer = async () => {
  const clock = createTestClock()
  const user = { id: 1, username: 'ada', email: 'ada@example.com' }
  const find = async () => user
  const auth = jwtAuth({
    secret: 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb',
    issuer: 'https://api.example.com',
    users: { findByUsername: find, findById: find, verifyPassword: async () => true },
    storage: memoryStorage({ quiet: true }),
    ...withSystem({ now: clock.now }),
  })
  const guard = auth.guard()
  const { outputFiles } = await build({
    stdin: { contents: page, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  })
  const script = outputFiles.map(({ text }) => text).join('')
  let arrived = 0
  const server = createSecureServer(selfSigned, (req, res) => {
    const respond = () => {
      if (req.url.startsWith('/reports/')) return Reflect.apply(guard, undefined, [req, res, () => res.end('{}')])
      res.setHeader('Content-Type', 'text/html')
      return res.end(`<!doctype html><title>Reports</title><script type="module">${script}</script>`)
    }
    // Requests overtake each other, as on a real network: some refresh with a token that was replaced long before they arrive.
    arrived += 1
    setTimeout(() => Reflect.apply(auth, undefined, [req, res, respond]), (arrived * 337) % 1_000)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const origin = `https://127.0.0.1:${typeof address === 'object' && address?.port}`
  onTestFinished(() => void server.close())
  return { origin, expireAccessTokens: () => clock.advanceSeconds(3_601) }
}

describeEach([findChromium()], 'a page of $name with axios, over HTTP/2', ({ launch }) => {
  it('that refreshes without a lock for each of 100 requests stays logged in, and every request succeeds', async () => {
    const { origin, expireAccessTokens } = await startServer()
    const chromium = await launch()
    onTestFinished(() => chromium.close())
    const context = await chromium.newContext({ ignoreHTTPSErrors: true })
    const tab = await context.newPage()
    await tab.goto(origin)
    expect(await tab.evaluate('performance.getEntriesByType("navigation")[0].nextHopProtocol')).toBe('h2')
    await tab.evaluate('logIn()')
    for (let burst = 0; burst < 2; burst += 1) {
      expireAccessTokens()
      expect(await tab.evaluate('load(100)')).toEqual(new Array(100).fill(200))
    }
  })
})
