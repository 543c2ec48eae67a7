import { describe, expect } from 'vitest'
import { inFile, inMemory } from './support/databases.js'
import { demo } from './support/demo-users.js'
import { requestToken } from './support/flows.js'
import { it } from './support/it.js'
import type { Site } from './support/site.js'

const failTenTimes = async (site: Site): Promise<void> => {
  for (let count = 0; count < 10; count += 1) await requestToken(site, { ...demo, password: 'wrong' })
}

describe('RATE_LIMIT', () => {
  it.for([['on', 429] as const, ['', 429] as const, ['off', 200] as const])(
    'set to %j responds with %i to the right password after ten wrong ones',
    async ([value, status], { startSite }) => {
      const site = await startSite(inMemory, { RATE_LIMIT: value })
      await failTenTimes(site)
      expect(await requestToken(site)).toMatchObject({ status })
    },
  )
})

describe('failed logins', () => {
  it('count for every process and after a restart', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const limited = { RATE_LIMIT: 'on' }
    const [one, other] = [await startSiteOn(url, limited), await startSiteOn(url, limited)]
    await failTenTimes(one)
    expect(await requestToken(other)).toMatchObject({ status: 429 })
    await one.stop()
    await other.stop()
    expect(await requestToken(await startSiteOn(url, limited))).toMatchObject({ status: 429 })
  })
})
