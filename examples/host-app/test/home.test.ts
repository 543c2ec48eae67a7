import { beforeAll, describe, expect } from 'vitest'
import { demo, jane, logIn, requestToken } from './support/client.js'
import { it } from './support/it.js'
import { inMemory, openSite, type Site } from './support/site.js'

/** What Chromium, Firefox and Safari send for the address in their address bar. */
const fromBrowser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

const policy = (...directives: readonly string[]) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': directives.join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})

describe.concurrent('the home of a site below a base path', () => {
  let site: Site
  let home: string
  const readList = async (): Promise<string> => (await fetch(home)).text()

  beforeAll(async () => {
    site = await openSite(inMemory, { BASE_PATH: '/wp-json' })
    home = `${site.origin}/wp-json/`
    return site.stop
  })

  it('lists routes that are mounted', async () => {
    const routes = [...(await readList()).matchAll(/<code>([A-Z]+) (\/\S*)<\/code>/g)]

    expect(routes.map(([, ...route]) => route)).toContainEqual(['GET', '/wp-json/health'])
    for (const [, method = '', path = ''] of routes) {
      // The routes include one that ends a session and one that deletes an account.
      const { token } = await logIn(site, method === 'DELETE' ? jane : demo)
      const headers = { Authorization: `Bearer ${token}` }
      const response = await fetch(site.origin + path.replace(':id', 'some-id'), { method, headers })
      expect([path, response.status]).not.toEqual([path, 405])
      expect(await response.text()).not.toMatch(/"(host_app|jwt_auth)_no_route"/)
    }
  })

  it('lists the users who can log in', async () => {
    const users = [...(await readList()).matchAll(/<li>(\w+), password <code>(.*)<\/code><\/li>/g)]

    expect(users).toHaveLength(2)
    for (const [, username = '', password = ''] of users) {
      expect(await requestToken(site, { username, password })).toMatchObject({ status: 200 })
    }
  })

  it('is a list that loads and runs nothing, for clients that are not browsers', async () => {
    const response = await fetch(home)

    expect(Object.fromEntries(response.headers)).toMatchObject(
      policy("default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
    )
    expect(await response.text()).not.toMatch(/<script|<link|<img|<style|style=|src=|url\(|\son\w+=/i)
  })

  it('is a page without inline scripts and styles, other origins and frames, for browsers', async () => {
    const response = await fetch(home, { headers: fromBrowser })

    expect(Object.fromEntries(response.headers)).toMatchObject(
      policy(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'",
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      ),
    )
    expect(await response.text()).not.toMatch(
      /<script(?! type="module" src="page\/)|<style|style=|\son\w+=|<!-- \w+ -->/i,
    )
  })

  it.for([
    ['*/*', 'list'],
    ['application/json', 'list'],
    ['text/plain, text/html;q=0.5', 'list'],
    ['text/html', 'page'],
    [fromBrowser.Accept, 'page'],
  ] as const)('is, for %s, a %s, and caches distinguish the two', async ([Accept, kind]) => {
    const response = await fetch(home, { headers: { Accept } })

    expect([response.status, response.headers.get('vary')]).toStrictEqual([200, 'Accept'])
    expect((await response.text()).includes('<script type="module"') ? 'page' : 'list').toBe(kind)
  })

  it('moves to the address with a slash, below which its files are', async () => {
    const response = await fetch(home.slice(0, -1), { headers: fromBrowser })
    const files = [...(await response.text()).matchAll(/ (?:src|href)="(page\/[^"]+)"/g)].map(([, file = '']) => file)

    expect([response.status, response.url]).toStrictEqual([200, home])
    expect(files).toContain('page/main.js')
    for (const file of files) {
      const { status, headers } = await fetch(home + file)
      expect([file, status, headers.get('x-content-type-options')]).toStrictEqual([file, 200, 'nosniff'])
    }
  })
})

describe.concurrent('the description of the API', () => {
  it('is an OpenAPI document whose server is the base path', async ({ expect, startSite }) => {
    const { origin } = await startSite(inMemory, { BASE_PATH: '/wp-json' })
    const response = await fetch(`${origin}/wp-json/openapi.json`)
    expect(await response.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/wp-json' }] })
  })

  it('is shown in Swagger UI, whose files come from the site', async ({ expect, startSite }) => {
    const { origin } = await startSite(inMemory)
    const page = await (await fetch(`${origin}/docs/`)).text()
    const files = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, file = '']) => file)
    expect(files).toContain('swagger-initializer.js')
    const statuses = await Promise.all(files.map(async (file) => (await fetch(`${origin}/docs/${file}`)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await (await fetch(`${origin}/docs/swagger-initializer.js`)).text()).toContain('../openapi.json')
  })
})
