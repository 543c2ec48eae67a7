import { describe, expect, it } from 'vitest'
import { defaultDatabaseUrl, EnvironmentError, type HostEnvironment, parseEnvironment } from '../src/environment.js'

const defaults: HostEnvironment = {
  host: '127.0.0.1',
  port: 3_000,
  basePath: '',
  databaseUrl: defaultDatabaseUrl,
  secret: undefined,
  issuer: 'https://host-app.example',
  publicUrls: undefined,
  accessTokenLifetimeSeconds: undefined,
  sessionIdleTimeoutSeconds: undefined,
  sessionAbsoluteTimeoutSeconds: undefined,
  refreshGraceSeconds: undefined,
  bcryptCost: 12,
  rateLimit: true,
  otherInstance: undefined,
  trustProxy: undefined,
}

const secret = 'Zx3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2e'

/** Each variable: its member of the environment, texts with their values, and texts that are refused. */
const variables: readonly [name: string, keyof HostEnvironment, valid: [string, unknown][], invalid: string[]][] = [
  ['HOST', 'host', [['::1', '::1']], ['http://127.0.0.1', ' ', 'host\nname']],
  ['PORT', 'port', [['0', 0]], ['-1', '1.5', '1e3', '0x10', ' 1', '+1', '١', 'one', '65536']],
  ['BASE_PATH', 'basePath', [['/shop/v1.0_a~b', '/shop/v1.0_a~b']], ['/', 'a', '/a/', '//a', '/:id', '/a/../b']],
  [
    'DATABASE_URL',
    'databaseUrl',
    [['redis://cache:6379', 'redis://cache:6379']],
    ['memory', 'postgres:site', 'redis:'],
  ],
  ['JWT_AUTH_SECRET', 'secret', [[secret, secret]], ['hunter2', secret.slice(1), 'äöüßéèêëàâçñõøœ']],
  ['ISSUER', 'issuer', [['https://shop.example', 'https://shop.example']], []],
  [
    'PUBLIC_URLS',
    'publicUrls',
    [['https://shop.example, http://localhost:3000/api', ['https://shop.example', 'http://localhost:3000/api']]],
    ['shop.example', 'https://shop.example/', ','],
  ],
  ['ACCESS_TOKEN_SECONDS', 'accessTokenLifetimeSeconds', [['1', 1]], ['0', '2592001', '1h']],
  ['SESSION_IDLE_SECONDS', 'sessionIdleTimeoutSeconds', [['1', 1]], ['0', '315360001']],
  ['SESSION_MAX_SECONDS', 'sessionAbsoluteTimeoutSeconds', [['1', 1]], ['0', '315360001']],
  ['REFRESH_GRACE_SECONDS', 'refreshGraceSeconds', [['0', 0]], ['301']],
  ['BCRYPT_COST', 'bcryptCost', [['4', 4]], ['3', '16']],
  ['RATE_LIMIT', 'rateLimit', [['off', false]], ['ON', 'false', '0', 'off ']],
  [
    'OTHER_INSTANCE',
    'otherInstance',
    [['http://[::1]:3001/a', 'http://[::1]:3001/a']],
    ['ftp://a', 'http://a/', 'http://a"b'],
  ],
  [
    'TRUST_PROXY',
    'trustProxy',
    [
      ['16', 16],
      ['loopback', ['loopback']],
      ['10.0.0.0/8, 2001:db8::/32', ['10.0.0.0/8', '2001:db8::/32']],
    ],
    ['true', '0', '17', '*', '10.0.0.0/33', '::/0', ','],
  ],
]

const validRows = variables.flatMap(([name, member, valid]) =>
  valid.map(([text, value]) => [name, text, member, value] as const),
)
const invalidRows = variables.flatMap(([name, , , invalid]) => invalid.map((text) => [name, text] as const))

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
  it('has a default for every variable that is missing or empty', () => {
    expect(parseEnvironment({ port: '80' })).toStrictEqual(defaults)
    expect(parseEnvironment(Object.fromEntries(variables.map(([name]) => [name, ''])))).toStrictEqual(defaults)
  })

  it.each(validRows)('reads %s=%s', (name, text, member, value) => {
    expect(parseEnvironment({ [name]: text })).toStrictEqual({ ...defaults, [member]: value })
  })

  it.each(invalidRows)('refuses %s=%j in one line that names the variable', (name, text) => {
    expect(complaintAbout({ [name]: text })).toMatch(new RegExp(`^${name} must be [^\\n]+\\.$`))
  })

  it('names every invalid variable and no other, without its value', () => {
    const complaint = complaintAbout({
      PORT: '8080',
      BCRYPT_COST: '3',
      JWT_AUTH_SECRET: 'hunter2',
      RATE_LIMIT: 'maybe',
    })
    const named = variables.map(([name]) => name).filter((name) => complaint.includes(name))

    expect(named).toStrictEqual(['JWT_AUTH_SECRET', 'BCRYPT_COST', 'RATE_LIMIT'])
    expect(complaint).not.toContain('hunter2')
    expect(complaintAbout({ DATABASE_URL: 'postgres://site:hunter2@[db/site' })).not.toContain('hunter2')
  })
})
