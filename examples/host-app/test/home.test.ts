import { jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import type { IRouter } from 'express'
import { describe } from 'vitest'
import { createAccounts } from '../src/accounts.js'
import { createApp } from '../src/app.js'
import { openDatabase } from '../src/database.js'
import { parseEnvironment } from '../src/environment.js'
import { inMemory } from './support/databases.js'
import { demo, jane } from './support/demo-users.js'
import { logIn, requestToken } from './support/flows.js'
import { it } from './support/it.js'
import { type Site, testVariables } from './support/site.js'

const readPage = async ({ origin }: Site, path: string): Promise<string> => (await fetch(origin + path)).text()

/** The routes that a page lists, such as `GET /health`. */
const readRoutes = (page: string): readonly string[] =>
  [...page.matchAll(/<code>([A-Z]+ \/\S*)<\/code>/g)].flatMap(([, route = '']) => route)

/** Whether a route is mounted, requested with an access token. */
const isMounted = async (site: Site, route: string, token: string): Promise<boolean> => {
  const [method = '', path = ''] = route.split(' ')
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(site.origin + path.replace(':id', 'some-id'), { method, headers })
  return response.status !== 405 && !/"(host_app|jwt_auth)_no_route"/.test(await response.text())
}

const countRoutes = ({ stack }: Pick<IRouter, 'stack'>): number =>
  stack.reduce((count, { route, handle }) => {
    if (route !== undefined) return count + new Set(route.stack.map(({ method }) => method)).size
    return count + (isRouter(handle) ? countRoutes(handle) : 0)
  }, 0)

const isRouter = (handle: object): handle is Pick<IRouter, 'stack'> => 'stack' in handle

describe.concurrent('the list at / for clients that are not browsers', () => {
  it('lists routes that are mounted, with the base path', async ({ expect, startSite }) => {
    const site = await startSite(inMemory, { BASE_PATH: '/wp-json' })
    const routes = readRoutes(await readPage(site, '/wp-json/'))

    expect(routes).toContain('GET /wp-json/health')
    for (const route of routes) {
      // The routes include one that ends a session and one that deletes an account.
      const { token } = await logIn(site, route.startsWith('DELETE') ? jane : demo)
      expect([route, await isMounted(site, route, token)]).toStrictEqual([route, true])
    }
  })

  it('lists every method of the paths that it lists', async ({ expect, startSite }) => {
    const site = await startSite(inMemory)
    const routes = readRoutes(await readPage(site, '/'))
    const paths = new Set(routes.map((route) => route.replace(/^\S+ /, '')))
    const others = [...paths]
      .flatMap((path) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} ${path}`))
      .filter((route) => !routes.includes(route))

    const { token } = await logIn(site)

    for (const route of others) expect([route, await isMounted(site, route, token)]).toStrictEqual([route, false])
  })

  it('lists every route of the application', async ({ expect, onTestFinished, startSite }) => {
    const routes = readRoutes(await readPage(await startSite(inMemory), '/'))
    const knex = openDatabase('memory:')
    onTestFinished(() => knex.destroy())
    const accounts = createAccounts(knex, 4)
    const storage = memoryStorage({ quiet: true })
    const auth = jwtAuth({ secret: testVariables.JWT_AUTH_SECRET, issuer: 'test', users: accounts.users, storage })
    const { router } = createApp(auth, { accounts }, parseEnvironment({}))

    expect(countRoutes(router)).toBe(routes.filter((route) => !route.includes(' /jwt-auth/')).length)
  })

  it('lists the users who can log in', async ({ expect, startSite }) => {
    const site = await startSite(inMemory)
    const users = [...(await readPage(site, '/')).matchAll(/<li>(\w+), password <code>(.*)<\/code><\/li>/g)]

    expect(users).toHaveLength(2)
    for (const [, username = '', password = ''] of users) {
      expect(await requestToken(site, { username, password })).toMatchObject({ status: 200 })
    }
  })

  it('is HTML that loads and runs nothing', async ({ expect, startSite }) => {
    const { origin } = await startSite(inMemory)
    const response = await fetch(`${origin}/`)
    const page = await response.text()

    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">\n/)
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    expect(page).toMatch(/<title>.+<\/title>/)
    expect(page).not.toMatch(/<script|<link|<img|<style|style=|src=|url\(|\son\w+=/i)
  })
})

/** What Chromium, Firefox and Safari send for the address in their address bar. */
const fromBrowser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe.concurrent('the page at / for browsers', () => {
  it('is sent only to clients that prefer HTML, and caches distinguish the two responses', async ({
    expect,
    startSite,
  }) => {
    const { origin } = await startSite(inMemory)
    const expected = {
      '*/*': 'list',
      'application/json': 'list',
      'text/plain, text/html;q=0.5': 'list',
      'text/html': 'page',
      [fromBrowser.Accept]: 'page',
    }

    for (const [Accept, kind] of Object.entries(expected)) {
      const response = await fetch(`${origin}/`, { headers: { Accept } })
      expect([Accept, response.status, response.headers.get('vary')]).toStrictEqual([Accept, 200, 'Accept'])
      expect((await response.text()).includes('<script type="module"') ? 'page' : 'list').toBe(kind)
    }
  })

  it('forbids inline scripts and styles, other origins and frames', async ({ expect, startSite }) => {
    const { origin } = await startSite(inMemory)
    const response = await fetch(`${origin}/`, { headers: fromBrowser })

    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'",
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).not.toMatch(
      /<script(?! type="module" src="page\/)|<style|style=|\son\w+=|<!-- \w+ -->/i,
    )
  })

  it('moves to the address with a slash, which its relative addresses need', async ({ expect, startSite }) => {
    const { origin } = await startSite(inMemory, { BASE_PATH: '/shop/wp-json' })
    const response = await fetch(`${origin}/shop/wp-json`, { headers: fromBrowser })

    expect(response.url).toBe(`${origin}/shop/wp-json/`)
    expect(response.status).toBe(200)
  })

  it('loads its files below the base path', async ({ expect, startSite }) => {
    const { origin } = await startSite(inMemory, { BASE_PATH: '/wp-json' })
    const page = await (await fetch(`${origin}/wp-json/`, { headers: fromBrowser })).text()
    const files = [...page.matchAll(/ (?:src|href)="(page\/[^"]+)"/g)].map(([, file = '']) => file)

    for (const file of files) {
      const response = await fetch(`${origin}/wp-json/${file}`)
      expect([file, response.status, response.headers.get('x-content-type-options')]).toStrictEqual([
        file,
        200,
        'nosniff',
      ])
    }
    expect(files).toContain('page/main.js')
  })
})
