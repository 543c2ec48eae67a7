import { describe, expect, it } from 'vitest'
import type { AuthClientOptions } from '../src/auth-client.js'
import { type DpopOptions, dpop } from '../src/dpop.js'
import { ignoreSignals, letTimePass, recordWarnings } from './support/clients.js'
import { dropRequest, dropResponse, failWith, holdResponse, respondWith } from './support/faults.js'
import { keepKeysInMemory, openBrowser } from './support/test-browser.js'
import { ada, addCookieJar, brian, password, paths, startServer } from './support/test-server.js'

const loginOf = ({ nicename }: { readonly nicename: string }) => ({ username: nicename, password })

interface Setup {
  readonly bind?: 'refresh-tokens' | 'all-tokens'
  readonly transport?: 'body' | 'cookie'
}

/** Starts a server that binds sessions, and a browser whose tabs share their keys. */
const start = async ({ bind = 'all-tokens', transport = 'body' }: Setup = {}) => {
  const server = await startServer({ dpop: { bind } })
  if (transport === 'cookie') addCookieJar(server)
  const browser = openBrowser()
  const keys = keepKeysInMemory()
  const openTab = (options: DpopOptions = {}, others: Partial<AuthClientOptions> = {}) => {
    const binding = dpop({ updateKeys: keys.updateKeys, ...options })
    const tab = browser.openTab({
      baseUrl: server.baseUrl,
      transport,
      ...(transport === 'body' && { tokenStore: browser.storage }),
      dpop: binding,
      ...others,
    })
    return { ...tab, getThumbprint: binding.getThumbprint }
  }
  const passSeconds = letTimePass(server, browser)
  return { server, browser, keys, openTab, passSeconds, expire: () => passSeconds(4_000) }
}
const readKey = (proof: string): string => Buffer.from(proof.split('.', 1).join(), 'base64url').toString()

const setups = (['refresh-tokens', 'all-tokens'] as const).flatMap((bind) =>
  (['body', 'cookie'] as const).map((transport) => ({ bind, transport })),
)

describe('a session of a client with dpop()', () => {
  it.each(setups)(
    'is bound to a key until its logout, with $bind and the transport $transport',
    async ({ bind, transport }) => {
      const { server, keys, openTab, expire } = await start({ bind, transport })
      const { auth, getThumbprint } = openTab()

      await auth.login(loginOf(ada))
      expect([keys.thumbprints(), await server.listBound(ada)]).toEqual([[getThumbprint()], [true]])
      for (const _ of [1, 2]) {
        expect((await auth.fetch('/reports', { method: 'PUT', body: 'text' })).status).toBe(200)
        expire()
      }
      // A new tab has the tokens of the first one, or the cookie, and the key.
      const other = openTab()
      expect((await other.auth.fetch('/reports')).status).toBe(200)
      expect(other.getThumbprint()).toBe(getThumbprint())
      const schemes = server.requestsTo('/reports').map(({ authorization }) => authorization?.split(' ')[0])
      expect(new Set(schemes)).toEqual(new Set([bind === 'all-tokens' ? 'DPoP' : 'Bearer']))

      await auth.logout()
      expect([keys.thumbprints(), getThumbprint(), await server.countSessions(ada)]).toEqual([[], undefined, 0])
    },
  )

  it('sends one more request for the first nonce, and for the first after a long pause', async () => {
    const { server, openTab, passSeconds } = await start()
    const { auth } = openTab()
    await auth.login(loginOf(ada))
    for (const seconds of [100, 100, 100, 100]) {
      await auth.fetch('/reports')
      passSeconds(seconds)
    }
    expect([server.requestsTo(paths.login).length, server.requestsTo('/reports').length]).toEqual([2, 4])
    passSeconds(400)
    await auth.fetch('/reports', { method: 'POST', body: 'text' })
    expect(server.requestsTo('/reports').slice(4)).toMatchObject([{ body: 'text' }, { body: 'text' }])
  })

  it('repeats a request that arrived twice with another proof, and does not refresh', async () => {
    const { server, openTab } = await start()
    const { auth } = openTab()
    await auth.login(loginOf(ada))
    const challenge = { 'WWW-Authenticate': 'DPoP error="invalid_dpop_proof", algs="ES256 EdDSA"' }
    server.plan('/reports', failWith(401, 'jwt_auth_invalid_dpop_proof', challenge))

    expect((await auth.fetch('/reports')).status).toBe(200)
    const proofs = server.requestsTo('/reports').map(({ proof }) => proof)
    expect([new Set(proofs).size, server.requestsTo(paths.refresh)]).toEqual([2, []])
  })

  it('sends no proof to another origin', async () => {
    const { server, keys, openTab } = await start()
    const other = await startServer()
    const { auth, getThumbprint } = openTab()
    await auth.login(loginOf(ada))

    await auth.fetch(`${other.origin}/reports`, { headers: { DPoP: 'of the application' } })
    await auth.fetch('/reports', { headers: { DPoP: 'of the application', Authorization: 'DPoP other' } })

    const proofs = [...other.requests, ...server.requestsTo('/reports')].map(({ proof }) => proof)
    expect(proofs).toEqual(['of the application', 'of the application'])
    expect(keys.thumbprints()).toEqual([getThumbprint()])
  })

  it.each([-3_600, 45, 3_600])('works when the clock of the device moves by %i seconds', async (seconds) => {
    const { server, browser, openTab } = await start()
    const { auth } = openTab()
    await auth.login(loginOf(ada))

    browser.moveClock(seconds)

    expect((await auth.fetch('/reports')).status).toBe(200)
    expect(server.requestsTo('/reports').length).toBeLessThanOrEqual(2)
  })

  it('is useless as a copy in another profile, and stays active', async () => {
    const { server, browser, openTab, expire } = await start()
    const { auth } = openTab()
    await auth.login(loginOf(ada))
    // All channels of this process are one.
    const thief = openBrowser({ hasChannel: false })
    thief.storage.set(browser.storage.read() ?? '', '')
    const copy = thief.openTab({
      baseUrl: server.baseUrl,
      tokenStore: thief.storage,
      dpop: dpop({ updateKeys: keepKeysInMemory().updateKeys }),
    })

    expect((await copy.auth.fetch('/reports')).status).toBe(401)

    expect(copy.auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
    expire()
    expect((await auth.fetch('/reports')).status).toBe(200)
    expect(await server.listBound(ada)).toEqual([true])
  })

  it.each([
    ['keys that are lost', true],
    ['a client without dpop()', false],
  ])('ends in the browser with a reason: %s', async (_, hasDpop) => {
    const { openTab, expire } = await start()
    await openTab().auth.login(loginOf(ada))
    expire()
    const { updateKeys } = keepKeysInMemory()
    const { auth } = openTab({ updateKeys }, hasDpop ? {} : { dpop: undefined })

    await expect(auth.getAccessToken()).rejects.toMatchObject({ code: 'jwt_auth_invalid_dpop_proof', status: 401 })

    expect(auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
  })

  it.each([
    ['the server refuses the proofs of its key, as behind a proxy that changes the URL', 20, {}],
    ['the keys cannot be read', 0, { updateKeys: () => Promise.reject(new Error('The disk is full.')) }],
  ])('continues when %s', async (_, length, options) => {
    const { server, openTab, expire } = await start()
    await openTab().auth.login(loginOf(ada))
    expire()
    const { auth } = openTab(options)
    server.plan(paths.refresh, ...Array.from({ length }, () => failWith(401, 'jwt_auth_invalid_dpop_proof')))

    await expect(auth.getAccessToken()).rejects.toMatchObject({ code: 'dpop_proof_refused' })

    expect(auth.getSnapshot().user).toEqual(ada)
  })

  it('from before dpop() continues, and is bound to no key', async () => {
    const { server, openTab, expire } = await start()
    await openTab({}, { dpop: undefined }).auth.login(loginOf(ada))
    expire()
    const { auth, getThumbprint } = openTab()

    expect((await auth.fetch('/reports')).status).toBe(200)
    expect([getThumbprint(), await server.listBound(ada)]).toEqual([undefined, [false]])
  })
})

describe('a login of a client with dpop()', () => {
  it('as another user deletes the key of the former session', async () => {
    const { keys, openTab, expire } = await start()
    const { auth, getThumbprint } = openTab()
    await auth.login(loginOf(ada))
    const first = getThumbprint()
    await auth.login(loginOf(brian))

    expect(keys.thumbprints()).toEqual([getThumbprint()])
    expect(getThumbprint()).not.toBe(first)
    expire()
    expect(await (await auth.fetch('/reports')).json()).toEqual({ userId: brian.id })
  })

  it('with a wrong password leaves no key', async () => {
    const { keys, openTab } = await start()

    await expect(openTab().auth.login({ username: 'ada', password: 'wrong' })).rejects.toMatchObject({
      code: 'jwt_auth_failed',
    })

    expect(keys.thumbprints()).toEqual([])
  })

  it.each(setups)('keeps the key of the session when a proxy responds: $bind, $transport', async (setup) => {
    const { server, keys, openTab, expire } = await start(setup)
    const { auth, getThumbprint } = openTab()
    await auth.login(loginOf(ada))
    server.plan(paths.login, respondWith(200, '<h1>Maintenance</h1>'))

    await expect(auth.login(loginOf(ada))).rejects.toMatchObject({ code: 'invalid_response' })

    expect(keys.thumbprints()).toEqual([getThumbprint()])
    expire()
    expect((await openTab().auth.fetch('/reports')).status).toBe(200)
  })

  it.each([
    ['response is late changes no keys', true],
    ['demand for a nonce is late is not sent again', false],
  ])('whose %s, also where fetch ignores its signal', async (_, hasNonce) => {
    const calls = ignoreSignals()
    const { server, browser, keys, openTab } = await start()
    const { auth, getThumbprint } = openTab()
    if (hasNonce) await auth.login(loginOf(ada))
    const hold = holdResponse()
    server.plan(paths.login, hold.fault)
    const login = auth.login(loginOf(brian)).catch((error: unknown) => error)
    await hold.reached
    browser.fireTimeouts()
    expect(await login).toMatchObject({ code: 'timeout' })

    hold.release()

    await Promise.allSettled(calls)
    if (!hasNonce) await auth.login(loginOf(ada))
    expect((await auth.fetch('/reports')).status).toBe(200)
    expect(keys.thumbprints()).toContain(getThumbprint())
    expect(server.requestsTo(paths.login).filter(({ body }) => body.includes('brian'))).toHaveLength(1)
  })

  it('after one without a network makes pages try its key first', async () => {
    const { server, openTab } = await start({ transport: 'cookie' })
    const { auth, freeze } = openTab()
    server.plan(paths.login, dropRequest)
    await expect(auth.login(loginOf(ada))).rejects.toMatchObject({ code: 'network_error' })
    await auth.login(loginOf(ada))
    freeze()
    const sent = server.requestsTo(paths.refresh).length

    expect((await openTab().auth.fetch('/reports')).status).toBe(200)
    const proofs = server
      .requestsTo(paths.refresh)
      .slice(sent)
      .flatMap(({ proof }) => proof ?? [])
    expect(new Set(proofs.map(readKey)).size).toBe(1)
  })

  it('with a key that was deleted after a refusal cannot happen', async () => {
    const { server, keys, openTab, expire } = await start()
    await openTab({}, { dpop: undefined }).auth.login(loginOf(ada))
    const { auth, getThumbprint } = openTab()
    const change = () => auth.fetch('/password', { headers: { DPoP: 'proof' } })
    server.plan('/password', failWith(403, 'jwt_auth_failed'))
    await change()
    expire()
    await auth.getAccessToken()

    await auth.loginWithResponse(await change())

    expect(keys.thumbprints()).toEqual([getThumbprint()])
  })

  it('in two tabs concurrently leaves both tabs with the key of one session', async () => {
    const { server, openTab, expire } = await start()
    const tabs = [openTab(), openTab()]
    const hold = holdResponse()
    server.plan(paths.login, undefined, undefined, hold.fault)
    const logins = [tabs[0]?.auth.login(loginOf(ada)), tabs[1]?.auth.login(loginOf(brian))]
    await hold.reached
    hold.release()
    await Promise.all(logins)
    await expect.poll(() => tabs[0]?.getThumbprint() === tabs[1]?.getThumbprint()).toBe(true)

    expire()
    const responses = await Promise.all(tabs.map(async ({ auth }) => (await auth.fetch('/reports')).json()))
    expect(responses[0]).toEqual(responses[1])
  })

  it('deletes the keys of logins whose responses were lost a while ago', async () => {
    const { server, keys, openTab, passSeconds } = await start()
    const { auth, getThumbprint } = openTab()
    server.plan(paths.login, undefined, dropResponse, dropResponse)
    for (const _ of [1, 2]) {
      await expect(auth.login(loginOf(ada))).rejects.toMatchObject({ code: 'network_error' })
      passSeconds(61)
    }
    expect(keys.thumbprints()).toHaveLength(2)

    await auth.login(loginOf(ada))

    expect(keys.thumbprints()).toEqual([getThumbprint()])
  })

  it('whose response is lost after the cookie arrived continues as the session of the cookie', async () => {
    const { server, openTab, expire } = await start({ transport: 'cookie' })
    const { auth } = openTab()
    await auth.login(loginOf(ada))
    server.plan(paths.login, dropResponse)
    await expect(auth.login(loginOf(brian))).rejects.toMatchObject({ code: 'network_error' })
    expire()

    await expect(auth.fetch('/reports')).rejects.toMatchObject({ code: 'session_changed' })

    expect(auth.getSnapshot().user).toEqual(brian)
    expect((await auth.fetch('/reports')).status).toBe(200)
  })

  it.each([
    ['warns, and starts a session without a key', false],
    ['fails with the option required', true],
  ])('where no key can be kept %s', async (_, required) => {
    const warnings = recordWarnings()
    const { server, openTab, expire } = await start()
    const { auth, getThumbprint } = openTab({ required, updateKeys: () => Promise.reject(new Error('No storage.')) })

    if (required) {
      await expect(auth.login(loginOf(ada))).rejects.toMatchObject({ code: 'dpop_unavailable' })
      expect(server.requests).toEqual([])
      return
    }
    await auth.login(loginOf(ada))
    expire()
    expect((await auth.fetch('/reports')).status).toBe(200)
    expect([getThumbprint(), await server.listBound(ada)]).toEqual([undefined, [false]])
    expect(warnings).toEqual([[expect.objectContaining({ code: 'dpop_unavailable' })]])
  })

  it.each(setups)('with the response of a route that asked for a proof: $bind, $transport', async (setup) => {
    const { server, keys, openTab, expire } = await start(setup)
    const { auth, getThumbprint } = openTab()
    const headers = { DPoP: 'proof', ...(setup.transport === 'cookie' && { 'X-JWT-Auth-Transport': 'cookie' }) }
    await auth.loginWithResponse(await auth.fetch('/sign-up?user=7', { headers }))
    expect([keys.thumbprints(), await server.listBound(ada)]).toEqual([[getThumbprint()], [true]])

    await auth.loginWithResponse(await auth.fetch('/password', { headers }))
    expire()

    expect((await auth.fetch('/reports')).status).toBe(200)
    expect([keys.thumbprints(), await server.listBound(ada)]).toEqual([[getThumbprint()], [true]])
  })
})

describe('a logout of a client with dpop()', () => {
  it.each(setups.flatMap((setup) => [0, 4_000].map((seconds) => ({ ...setup, seconds }))))(
    'without a network deletes the key, and needs it until the confirmation: $bind, $transport, after $seconds s',
    async ({ bind, transport, seconds }) => {
      const { server, browser, keys, openTab, passSeconds } = await start({ bind, transport })
      await openTab().auth.login(loginOf(ada))
      const { auth } = openTab()
      await expect.poll(() => auth.getSnapshot().status).toBe('authenticated')
      passSeconds(seconds)
      const retries = browser.pauseRetries()
      server.plan(paths.revoke, dropRequest)

      await auth.logout()
      // After a reload, the cookie and the key complete the logout.
      expect(keys.thumbprints()).toHaveLength(transport === 'cookie' ? 1 : 0)
      retries.resume()

      await expect.poll(() => server.countSessions(ada)).toBe(0)
      await expect.poll(keys.thumbprints).toEqual([])
    },
  )

  it('while another tab refreshes leaves no session and no key', async () => {
    const { server, keys, openTab, expire } = await start()
    const [first, second] = [openTab(), openTab()]
    await first.auth.login(loginOf(ada))
    await expect.poll(second.getThumbprint).toBe(first.getThumbprint())
    expire()
    const hold = holdResponse()
    server.plan(paths.refresh, hold.fault)
    const token = second.auth.getAccessToken().catch((error: unknown) => error)
    await hold.reached
    const logout = first.auth.logout()
    hold.release()
    await Promise.all([token, logout])

    expect([keys.thumbprints(), second.auth.getSnapshot().status]).toEqual([[], 'unauthenticated'])
    await expect.poll(() => server.countSessions(ada)).toBe(0)
  })
})
