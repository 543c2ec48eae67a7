import { describe, expect } from 'vitest'
import { demo, logIn, requestToken } from './support/client.js'
import { it } from './support/it.js'
import { inFile, inMemory, type Site } from './support/site.js'

const logInFrom = async ({ origin }: Pick<Site, 'origin'>, address: string, password: string): Promise<number> => {
  const { status } = await fetch(`${origin}/jwt-auth/v1/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ username: demo.username, password }),
  })
  return status
}

const failTenTimes = async (site: Site): Promise<void> => {
  for (let count = 0; count < 10; count += 1) await logInFrom(site, '198.51.100.1', 'wrong')
}

describe.concurrent('ten wrong passwords', () => {
  it.for([
    ['another client of a proxy', 429, {}],
    ['another client of a proxy with RATE_LIMIT=off', 200, { RATE_LIMIT: 'off' }],
    ['another client of a proxy with TRUST_PROXY=1', 200, { TRUST_PROXY: '1' }],
    ['another client of a proxy with TRUST_PROXY=loopback', 200, { TRUST_PROXY: 'loopback' }],
  ] as const)('give %s, with the correct password, %i', async ([, status, variables], { startSite }) => {
    const site = await startSite(inMemory, { RATE_LIMIT: '', ...variables })
    await failTenTimes(site)

    expect(await logInFrom(site, '198.51.100.2', demo.password)).toBe(status)
  })

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
