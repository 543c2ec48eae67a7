import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { EnvironmentError, type HostEnvironment, parseEnvironment } from '../src/environment.js'

const defaults: HostEnvironment = {
  host: '127.0.0.1',
  port: 3_000,
  basePath: '',
  databaseUrl: `sqlite:${fileURLToPath(new URL('../data/host.sqlite', import.meta.url))}`,
  secret: undefined,
  issuer: 'https://host-app.example',
  accessTokenLifetimeSeconds: undefined,
  sessionIdleTimeoutSeconds: undefined,
  sessionAbsoluteTimeoutSeconds: undefined,
  refreshGraceSeconds: undefined,
  bcryptCost: 12,
  rateLimit: true,
  otherInstance: undefined,
  trustProxy: undefined,
}

interface Variable {
  readonly name: string
  readonly right: readonly (readonly [text: string, read: Partial<HostEnvironment>])[]
  readonly wrong: readonly string[]
}

// One function reads every number: all spellings are tried with PORT.
const wrongNumbers = ['-1', '1.5', '1e3', '0x10', ' 1', '1 ', '+1', '١', 'one', 'NaN', 'Infinity', '9'.repeat(20)]

const variables: readonly Variable[] = [
  {
    name: 'HOST',
    right: [
      ['0.0.0.0', { host: '0.0.0.0' }],
      ['::1', { host: '::1' }],
      ['localhost', { host: 'localhost' }],
      ['site-1.internal.example', { host: 'site-1.internal.example' }],
    ],
    wrong: ['http://127.0.0.1', '127.0.0.1/24', 'a host', ' ', 'host\nname'],
  },
  {
    name: 'PORT',
    right: [
      ['0', { port: 0 }],
      ['8080', { port: 8_080 }],
      ['65535', { port: 65_535 }],
    ],
    wrong: [...wrongNumbers, '65536', '127.0.0.1:80'],
  },
  {
    name: 'BASE_PATH',
    right: [
      ['/wp-json', { basePath: '/wp-json' }],
      ['/shop/wp-json', { basePath: '/shop/wp-json' }],
      ['/v1.0_a~b', { basePath: '/v1.0_a~b' }],
    ],
    wrong: [
      '/',
      'wp-json',
      '/wp-json/',
      '//wp-json',
      '/a//b',
      '/a b',
      '/a?b',
      '/a#b',
      '/:id',
      '/*path',
      '/a(b)',
      '/%2e',
    ],
  },
  {
    name: 'DATABASE_URL',
    right: [
      'memory:',
      'sqlite::memory:',
      'sqlite:data/site.sqlite',
      'sqlite:/var/lib/a site/site.sqlite',
      'postgres://site:secret@db.internal:5432/site',
      'mysql://root@127.0.0.1/site',
      'redis://127.0.0.1:6379',
      'rediss://site:secret@cache.internal:6380/2',
    ].map((databaseUrl) => [databaseUrl, { databaseUrl }] as const),
    wrong: [
      'memory',
      'memory:x',
      'sqlite',
      'sqlite:',
      'data/site.sqlite',
      'postgres',
      'postgres:',
      'postgres:site',
      'postgres://[db/site',
      'mysql:',
      'mysql:site',
      'mysql://db:port/site',
      'redis:',
      'redis://',
      'redis://cache:port',
      'redis-sentinel://cache',
      'http://db/site',
      'mongodb://db/site',
      ' memory:',
    ],
  },
  {
    name: 'JWT_AUTH_SECRET',
    right: [
      'Zx3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2e',
      ' surrounded by spaces, as written ',
      'c3RheXMgYmFzZTY0LCBhcyB3cml0dGVuIQ==',
      'äöüßéèêëàâçñõøœæ',
    ].map((secret) => [secret, { secret }] as const),
    wrong: ['s', 'hunter2', 'Zx3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2', 'äöüßéèêëàâçñõøœ'],
  },
  {
    name: 'ISSUER',
    right: [['https://shop.example/wp-json', { issuer: 'https://shop.example/wp-json' }]],
    wrong: [],
  },
  {
    name: 'ACCESS_TOKEN_SECONDS',
    right: [
      ['1', { accessTokenLifetimeSeconds: 1 }],
      ['2592000', { accessTokenLifetimeSeconds: 2_592_000 }],
    ],
    wrong: ['0', '2592001', '1h'],
  },
  {
    name: 'SESSION_IDLE_SECONDS',
    right: [
      ['1', { sessionIdleTimeoutSeconds: 1 }],
      ['315360000', { sessionIdleTimeoutSeconds: 315_360_000 }],
    ],
    wrong: ['0', '315360001', '30d'],
  },
  {
    name: 'SESSION_MAX_SECONDS',
    right: [
      ['1', { sessionAbsoluteTimeoutSeconds: 1 }],
      ['315360000', { sessionAbsoluteTimeoutSeconds: 315_360_000 }],
    ],
    wrong: ['0', '315360001', '90d'],
  },
  {
    name: 'REFRESH_GRACE_SECONDS',
    right: [
      ['0', { refreshGraceSeconds: 0 }],
      ['300', { refreshGraceSeconds: 300 }],
    ],
    wrong: ['301', '30s'],
  },
  {
    name: 'BCRYPT_COST',
    right: [
      ['4', { bcryptCost: 4 }],
      ['15', { bcryptCost: 15 }],
    ],
    wrong: ['3', '16'],
  },
  {
    name: 'RATE_LIMIT',
    right: [
      ['on', { rateLimit: true }],
      ['off', { rateLimit: false }],
    ],
    wrong: ['ON', 'Off', 'true', 'false', '1', '0', 'no', 'off '],
  },
  {
    name: 'OTHER_INSTANCE',
    right: ['http://127.0.0.1:3001', 'https://site-2.internal.example/wp-json', 'http://[::1]:3001'].map((text) => [
      text,
      { otherInstance: text },
    ]),
    wrong: [
      '127.0.0.1:3001',
      'http://127.0.0.1:3001/',
      'ftp://127.0.0.1',
      'http://a b',
      'http://a"b',
      'http://127.0.0.1:x',
      'http://a/?b',
    ],
  },
  {
    name: 'TRUST_PROXY',
    right: [
      ['1', { trustProxy: 1 }],
      ['16', { trustProxy: 16 }],
      ['loopback', { trustProxy: ['loopback'] }],
      ['10.0.0.0/8, 2001:db8::/32', { trustProxy: ['10.0.0.0/8', '2001:db8::/32'] }],
      ['192.0.2.1', { trustProxy: ['192.0.2.1'] }],
    ],
    wrong: [
      'true',
      'false',
      '0',
      '17',
      '-1',
      'all',
      '*',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '::/0',
      '10.0.0.1/8/8',
      ',',
      '1,2',
    ],
  },
]

const rightRows = variables.flatMap(({ name, right }) => right.map(([text, read]) => [name, text, read] as const))
const wrongRows = variables.flatMap(({ name, wrong }) => wrong.map((text) => [name, text] as const))
const wrongText = new Map(wrongRows)

/** Returns the message about these variables; empty text when they are valid. */
const complaintAbout = (environment: Readonly<Record<string, string>>): string => {
  try {
    parseEnvironment(environment)
    return ''
  } catch (error) {
    if (error instanceof EnvironmentError) return error.message
    throw error
  }
}

describe('parseEnvironment', () => {
  it('has a default for everything', () => {
    expect(parseEnvironment({})).toStrictEqual(defaults)
  })

  it('treats an empty variable as missing', () => {
    expect(parseEnvironment(Object.fromEntries(variables.map(({ name }) => [name, ''])))).toStrictEqual(defaults)
  })

  it('ignores other variables', () => {
    expect(parseEnvironment({ NODE_ENV: 'production', port: '80', BASEPATH: '/x' })).toStrictEqual(defaults)
  })

  it.each(rightRows)('reads %s=%s', (name, text, read) => {
    expect(parseEnvironment({ [name]: text })).toStrictEqual({ ...defaults, ...read })
  })

  it.each(wrongRows)('refuses %s=%j in one line that names the variable', (name, text) => {
    expect(complaintAbout({ [name]: text })).toMatch(new RegExp(`^${name} must be [^\\n]+\\.$`))
  })

  it.each(['/..', '/.', '/a/../b', '/a/./b'])(
    'refuses BASE_PATH=%s, which clients resolve before they send it',
    (text) => {
      expect(complaintAbout({ BASE_PATH: text })).toMatch(/^BASE_PATH must be [^\n]+\.$/)
    },
  )

  it('names every wrong variable', () => {
    const complaint = complaintAbout(Object.fromEntries(wrongText))

    expect(complaint).not.toContain('\n')
    for (const name of wrongText.keys()) expect(complaint).toContain(`${name} must be `)
  })

  it('names no valid variable', () => {
    const complaint = complaintAbout({ PORT: '8080', BCRYPT_COST: '3', ISSUER: 'x', RATE_LIMIT: 'maybe' })
    const named = variables.map(({ name }) => name).filter((name) => complaint.includes(name))

    expect(named).toStrictEqual(['BCRYPT_COST', 'RATE_LIMIT'])
  })

  it.each(['hunter2', 'Zx3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2'])('does not repeat the secret %s', (secret) => {
    const complaint = complaintAbout({ JWT_AUTH_SECRET: secret, PORT: 'x' })

    expect(complaint).toContain('JWT_AUTH_SECRET')
    expect(complaint).not.toContain(secret)
  })

  it('does not repeat the password in a wrong DATABASE_URL', () => {
    expect(complaintAbout({ DATABASE_URL: 'postgres://site:hunter2@[db/site' })).not.toContain('hunter2')
  })
})
