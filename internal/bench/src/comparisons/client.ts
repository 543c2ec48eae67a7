import { readFileSync } from 'node:fs'
import { findChromium } from '@jwt-auth/test-support/browser'
import type { Comparison, Setting } from '../comparison.js'
import { buildPackages } from '../measure/build-packages.js'
import { bundleForBrowsers, measureBundle } from '../measure/bundle-size.js'
import { findPackage } from '../measure/installed-size.js'
import { median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import { toText } from '../report/figures.js'
import type { Goal } from '../report/goal.js'
import type { Table } from '../report/table.js'
import { type Expiry, expireInTabs } from '../tabs/expire-in-tabs.js'
import type { TabClient } from '../tabs/tab-client.js'
import { tabClients } from '../tabs/tab-clients.js'

/** The smallest useful import of each package. */
const imports = [
  {
    title: '**@jwt-auth/client**',
    packages: ['@jwt-auth/client'],
    code: `export { createAuthClient } from '@jwt-auth/client'`,
  },
  {
    title: 'supertokens-website',
    packages: ['supertokens-website'],
    code: `export { default } from 'supertokens-website'`,
  },
  {
    title: '@auth0/auth0-spa-js',
    packages: ['@auth0/auth0-spa-js'],
    code: `export { Auth0Client } from '@auth0/auth0-spa-js'`,
  },
  {
    title: 'better-auth/client',
    packages: ['better-auth'],
    code: `export { createAuthClient } from 'better-auth/client'`,
  },
  {
    title: 'axios-auth-refresh with axios',
    packages: ['axios-auth-refresh', 'axios'],
    code: `export { createAuthRefresh } from 'axios-auth-refresh'\nexport { default } from 'axios'`,
  },
]

/** Clients for browsers: sizes, and refresh requests when tokens expire in eight tabs. */
export const client: Comparison = {
  name: 'client',
  summary: 'clients for browsers: bundle sizes, and refresh requests of eight tabs',
  method:
    'Sizes: esbuild bundles and minifies the smallest useful import of each client with its dependencies; gzip has level 9. Tabs: eight tabs of one Chromium context are logged in. The clocks of the server and of the tabs are set forward until the access token has expired. Then all tabs send one request each at the same moment, and each request takes at least 50 ms. Each round is a new login. @jwt-auth/client runs against jwt-auth. Each of the other clients runs against a stand-in server with the protocol of the client. On these servers, a refresh token works once, and a second use ends the session (RFC 9700, section 4.14.2). axios-auth-refresh has no protocol of its own, because the application supplies the refresh function. It therefore also runs against jwt-auth. All keep their tokens in localStorage, except supertokens-website, which uses cookies.',
  run: async (setting) => {
    await buildPackages(['client'], setting.effort.isSmoke)
    const sizes = await measureSizes()
    const tabs = await measureTabs(setting)
    return { tables: [sizes.table, ...tabs.tables], goals: [...sizes.goals, ...tabs.goals] }
  },
}

const versionsOf = (packages: readonly string[]): string =>
  packages.map((name) => JSON.parse(readFileSync(`${findPackage(name)}/package.json`, 'utf8')).version).join(', ')

const measureSizes = async (): Promise<{ readonly table: Table; readonly goals: readonly Goal[] }> => {
  const sizes = await Promise.all(imports.map(async (one) => ({ ...one, ...(await measureBundle(one.code)) })))
  return {
    table: {
      caption: 'Sizes:',
      head: ['', 'version', 'bytes, minified', 'bytes, minified and gzip'],
      rows: sizes.map(({ title, packages, minified, gzip }) => [
        title,
        versionsOf(packages),
        toText(minified),
        toText(gzip),
      ]),
    },
    goals: [
      {
        what: 'size of @jwt-auth/client, bytes, minified and gzip',
        sign: '≤',
        limit: 4_000,
        measured: sizes.slice(0, 1).map(({ gzip }) => gzip),
      },
    ],
  }
}

const measureTabs = async ({
  effort,
  log,
}: Setting): Promise<{ readonly tables: readonly Table[]; readonly goals: readonly Goal[] }> => {
  const { missing, launch } = findChromium()
  if (missing !== undefined) {
    log(missing)
    return { tables: [], goals: [] }
  }
  const scripts = new Map<string, string>()
  for (const { page } of tabClients) {
    const bundle = await bundleForBrowsers({ entryPoints: [`src/tabs/pages/${page}.ts`] })
    scripts.set(page, new TextDecoder().decode(bundle))
  }
  const chromium = await launch()
  try {
    const measured = await takeTurns(
      tabClients,
      async (one, round) => {
        const expiry = await expireInTabs(chromium, one, scripts.get(one.page) ?? '')
        log(`round ${round + 1}: ${one.title} ${expiry.refreshes} refresh requests`)
        return expiry
      },
      effort,
    )
    return { tables: [toTable(measured)], goals: toGoals(measured) }
  } finally {
    await chromium.close()
  }
}

type Expiries = ReadonlyMap<TabClient, readonly Expiry[]>

const toTable = (measured: Expiries): Table => ({
  caption: 'Eight tabs whose access token expires:',
  head: [
    '',
    'version',
    'refresh requests per expiry, median',
    'highest',
    'fewest tabs that got a response',
    'users logged out',
  ],
  rows: [...measured].map(([{ title, packages }, expiries]) => [
    title,
    versionsOf(packages),
    toText(median(expiries.map(({ refreshes }) => refreshes))),
    toText(Math.max(...expiries.map(({ refreshes }) => refreshes))),
    toText(Math.min(...expiries.map(({ served }) => served))),
    `${countLogouts(expiries)} of ${expiries.length}`,
  ]),
})

const countLogouts = (expiries: readonly Expiry[]): number => expiries.filter(({ isLoggedOut }) => isLoggedOut).length

const toGoals = (measured: Expiries): readonly Goal[] =>
  [...measured].slice(0, 1).flatMap(([{ title }, expiries]): readonly Goal[] => [
    {
      what: `refresh requests per expiry, ${title}`,
      sign: '≤',
      limit: 1,
      measured: expiries.map(({ refreshes }) => refreshes),
    },
    {
      what: `users logged out, ${title}`,
      sign: '≤',
      limit: 0,
      measured: [countLogouts(expiries)],
    },
  ])
