import { describe, expect } from 'vitest'
import { inFile, inMemory } from './support/databases.js'
import { demo } from './support/demo-users.js'
import { logIn, requestToken } from './support/flows.js'
import { it } from './support/it.js'
import type { Site } from './support/site.js'

const failTenTimes = async (site: Site): Promise<void> => {
  for (let count = 0; count < 10; count += 1) await requestToken(site, { ...demo, password: 'wrong' })
}

describe.concurrent('RATE_LIMIT', () => {
  it.for([
    ['on', 429, 'on'],
    ['unset', 429, ''],
    ['off', 200, 'off'],
  ] as const)(
    'that is %s responds with %s to the correct password after ten wrong passwords',
    async ([, status, value], { startSite }) => {
      const site = await startSite(inMemory, { RATE_LIMIT: value })
      await failTenTimes(site)
      expect(await requestToken(site)).toMatchObject({ status })
    },
  )
})

describe.concurrent('failed logins', () => {
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

describe.concurrent('a stolen access token', () => {
  it.for([
    ['PUT', '/api/account/password', { current_password: 'a guess', new_password: 'yet another long passphrase' }],
    ['DELETE', '/api/account', { password: 'a guess' }],
  ] as const)('allows ten guesses of the password at %s %s', async ([method, path, json], { startSite }) => {
    const site = await startSite(inMemory, { RATE_LIMIT: 'on' })
    const { token } = await logIn(site)
    const statuses = []
    for (let count = 0; count < 12; count += 1) statuses.push((await site.send(method, path, { token, json })).status)

    expect(statuses).toStrictEqual([...Array(10).fill(403), 429, 429])
  })
})

describe.concurrent('TRUST_PROXY', () => {
  it.for([
    ['a number', 200, '1'],
    ['a name', 200, 'loopback'],
    ['unset', 429, ''],
  ] as const)(
    'that is %s responds with %s to the correct password from another client of the proxy',
    async ([, status, value], { startSite }) => {
      const site = await startSite(inMemory, { RATE_LIMIT: 'on', TRUST_PROXY: value })
      const logInFrom = async (address: string, password: string): Promise<number> => {
        const { status: loginStatus } = await fetch(`${site.origin}/jwt-auth/v1/token`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
          body: JSON.stringify({ username: demo.username, password }),
        })
        return loginStatus
      }
      for (let count = 0; count < 10; count += 1) await logInFrom('198.51.100.1', 'wrong')

      expect(await logInFrom('198.51.100.2', demo.password)).toBe(status)
    },
  )
})
