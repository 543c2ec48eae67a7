import { describeEach } from '@jwt-auth/test-support/describe-each'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noFaults } from './support/faults.js'
import { lifetimeSeconds, password } from './support/service.js'
import { openStage, type StageSetup, toDocumentedCors, useTabBrowser } from './support/stage.js'
import { findTabBrowsers } from './support/tab-context.js'

const setups: readonly (readonly [string, Pick<StageSetup, 'pageHost' | 'serviceHost' | 'toCors'>])[] = [
  ['one origin', { pageHost: 'www.example.test' }],
  ['a subdomain', { pageHost: 'app.example.test', serviceHost: 'api.example.test', toCors: toDocumentedCors }],
]

describeEach(findTabBrowsers(), 'refresh tokens in the cookies of $name', ({ start }) => {
  const openProfile = useTabBrowser(start, ['www.example.test', 'app.example.test', 'api.example.test'])

  describe.each(setups)('with the service on %s', (_, hosts) => {
    /** Opens two tabs, in which Ada is logged in. */
    const openTabs = async () => {
      const profile = await openProfile()
      const { context } = profile
      const stage = await openStage({ ...hosts, ...profile, isSecure: true, transport: 'cookie' })
      onTestFinished(stage.close)
      const { device, network } = stage
      const [first, second] = await device.openTabs(2)
      if (!first || !second) throw new Error('Too few tabs.')
      await first.start(['login', 'ada', password])
      await device.settle()
      const call = async (tab = first) => {
        const read = await tab.start(['fetch', `/reports?${network.requests.length}`])
        await device.settle()
        return (await read())[0]
      }
      const snapshots = () => Promise.all([first.snapshot(), second.snapshot()])
      return { ...stage, context, first, second, call, snapshots }
    }

    it('belong to the host of the service alone, and no script of the page can read them', async () => {
      const { context, first, call } = await openTabs()

      expect(await context.cookies()).toMatchObject([
        {
          name: '__Host-jwt_auth_refresh_token',
          value: expect.stringMatching('^jwtauth_rt_'),
          domain: hosts.serviceHost ?? hosts.pageHost,
          path: '/',
          httpOnly: true,
          secure: true,
          sameSite: 'Strict',
        },
      ])
      expect(await first.page.evaluate('document.cookie + JSON.stringify(localStorage)')).toBe('{}')
      expect(await call()).toBe('200 {"userId":1}')
    })

    it('keep the user logged in after a reload, and in a new tab after all others were closed', async () => {
      const { device, context, first, second, call } = await openTabs()

      await first.reload()
      await second.reload()
      expect(await first.snapshot()).toBe('authenticated ada')

      await device.closeTabs()
      const [third] = await device.openTabs(1)
      expect(await call(third)).toBe('200 {"userId":1}')
      expect(await third?.snapshot()).toBe('authenticated ada')
      expect(await context.cookies()).toHaveLength(1)
    })

    it('are deleted by a logout, in all tabs', async () => {
      const { device, service, context, first, second, snapshots } = await openTabs()

      await second.start(['logout'])
      await device.settle()

      expect(await snapshots()).toEqual(['unauthenticated', 'unauthenticated'])
      expect(await context.cookies()).toEqual([])
      expect(await service.countSessions('ada')).toBe(0)
      await first.reload()
      expect(await first.snapshot()).toBe('unauthenticated')
    })

    it('are not sent to where a proxy redirects a login, which rejects', async () => {
      const { device, network, first } = await openTabs()
      network.setFaults(() => ({ replaces: { status: 307, headers: { Location: '/elsewhere' } } }))

      const read = await first.start(['login', 'brian', password])
      await device.settle()

      expect(await read()).toEqual(['error: network_error'])
    })

    it('belong to the user who logged in last, also when a response for the former user comes later', async () => {
      const { device, network, context, first, second, call, snapshots } = await openTabs()
      await device.pass(lifetimeSeconds)
      const left = [{ delayResponseMs: 20_000 }]
      network.setFaults((isRefresh) => (isRefresh && left.shift()) || noFaults(isRefresh))

      await first.start(['fetch', '/reports?former'])
      await device.pass(1)
      await second.start(['login', 'brian', password])
      await device.settle()
      const [cookie] = await context.cookies()
      await device.pass(30)

      expect(await context.cookies()).toMatchObject([{ value: cookie?.value }])
      expect(await snapshots()).toEqual(['authenticated brian', 'authenticated brian'])
      await first.reload()
      expect(await call()).toBe('200 {"userId":2}')
    })
  })
})
