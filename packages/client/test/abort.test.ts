import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { asBrian, ignoreSignals, logIn, startClient } from './support/clients.js'
import { holdRequest } from './support/faults.js'
import { openBrowser } from './support/test-browser.js'
import { addCookieJar, paths, startServer } from './support/test-server.js'

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

const abortReason = { name: 'AbortError' }

describe('a request that is aborted', () => {
  it('before its start rejects with the reason and is not sent', async () => {
    const { server, auth } = await startClient()

    await expect(auth.fetch('/reports', { signal: AbortSignal.abort() })).rejects.toMatchObject(abortReason)
    await expect(auth.fetch('/reports', { signal: AbortSignal.abort('mine') })).rejects.toBe('mine')

    expect(server.requestsTo('/reports')).toEqual([])
  })

  it.each<readonly [string, (url: string, signal: AbortSignal) => readonly [string | Request, RequestInit?]]>([
    ['by init', (url, signal) => [url, { signal }]],
    ['as a Request', (url, signal) => [new Request(url, { signal })]],
    ['by a Request as init', (url, signal) => [url, new Request(url, { signal })]],
  ])('%s while it waits for a refresh rejects, and the refresh continues for the others', async (_, toArguments) => {
    const { server, browser, auth } = await startClient()
    browser.advanceSeconds(4_000)
    const hold = holdRequest()
    server.plan(paths.refresh, hold.fault)
    const controller = new AbortController()
    const aborted = auth.fetch(...toArguments(`${server.origin}/reports`, controller.signal))
    const other = auth.fetch('/reports')
    await hold.reached

    controller.abort()
    await expect(aborted).rejects.toMatchObject(abortReason)
    hold.release()

    expect((await other).status).toBe(200)
    expect([server.requestsTo(paths.refresh).length, server.requestsTo('/reports').length]).toEqual([1, 1])
  })

  it('rejects, also if Node has collected the Requests that nobody references', async () => {
    const { server, auth } = await startClient()
    const hold = holdRequest()
    server.plan('/reports', hold.fault)
    const controller = new AbortController()
    const aborted = auth.fetch('/reports', { headers: { Authorization: 'Basic YTpi' }, signal: controller.signal })
    await hold.reached
    collectGarbage()

    controller.abort()
    hold.release()

    await expect(aborted).rejects.toMatchObject(abortReason)
  })

  it('while the refresh after a 401 is in flight rejects, and the refresh continues', async () => {
    const { server, auth } = await startClient()
    server.clock.advanceSeconds(4_000)
    const hold = holdRequest()
    server.plan(paths.refresh, hold.fault)
    const controller = new AbortController()
    const aborted = auth.fetch('/reports', { signal: controller.signal })
    await hold.reached

    controller.abort()
    await expect(aborted).rejects.toMatchObject(abortReason)
    hold.release()

    expect((await auth.fetch('/reports')).status).toBe(200)
    expect(server.requestsTo(paths.refresh)).toHaveLength(1)
  })
})

// The `fetch` of CapacitorHttp (native-bridge.js of @capacitor/android 8.5.2) reads no signal.
describe('where fetch ignores its signal', () => {
  it.each(['body', 'cookie'] as const)(
    'a login rejects after its time limit, and later calls do not wait for it: %s',
    async (transport) => {
      ignoreSignals()
      const server = await startServer()
      addCookieJar(server)
      const browser = openBrowser()
      const { auth } = browser.openTab({ baseUrl: server.baseUrl, transport })
      const hold = holdRequest()
      server.plan(paths.login, hold.fault)
      const login = logIn({ auth })
      const rejects = expect(login).rejects.toMatchObject({ code: 'timeout' })
      await hold.reached

      browser.fireTimeouts()

      await rejects
      await logIn({ auth }, 'brian')
      expect(auth.getSnapshot()).toEqual(asBrian)
      hold.release()
    },
  )
})
