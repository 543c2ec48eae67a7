import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it, onTestFinished } from 'vitest'
import { noFaults } from './support/faults.js'
import { lifetimeSeconds, password } from './support/service.js'
import { openStage } from './support/stage.js'
import { findTabBrowsers } from './support/tab-context.js'
import { useTabBrowser } from './support/use-tab-browser.js'

// Shorter than the first delay before a retry, and longer than the wait for other tabs.
const pauseSeconds = 0.1

describeEach(findTabBrowsers(), 'a refresh in $name that waits for its next attempt', ({ start }) => {
  const openProfile = useTabBrowser(start)

  it.each([
    ['online', "dispatchEvent(new Event('online'))"],
    ['visible', "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))"],
  ])('runs immediately when the page is %s again', async (_, event) => {
    const { device, network, close } = await openStage(await openProfile())
    onTestFinished(close)
    const [tab] = await device.openTabs(1)
    if (!tab) throw new Error('Too few tabs.')
    await tab.start(['login', 'ada', password])
    await device.settle()
    await device.pass(lifetimeSeconds)
    network.setFaults(() => ({ replaces: { status: 502, headers: {} } }))
    const read = await tab.start(['fetch', '/reports'])
    await device.pass(pauseSeconds)
    expect([network.refreshRequests(), await read()]).toEqual([1, ['pending']])
    network.setFaults(noFaults)

    await tab.page.evaluate(event)

    await device.pass(pauseSeconds)
    expect([network.refreshRequests(), await read()]).toEqual([2, ['200 {"userId":1}']])
  })
})
