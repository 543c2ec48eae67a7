import { expect, it } from 'vitest'
import { parseEnvironment, StartError } from '../src/environment.js'
import { startHost } from '../src/host.js'

const complaintAbout = async (variables: Readonly<Record<string, string>>): Promise<string> => {
  const start = async () =>
    startHost(parseEnvironment({ PORT: '0', DATABASE_URL: 'memory:', BCRYPT_COST: '4', ...variables }))
  const thrown = await start().catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(StartError)
  return String(thrown)
}

it('an empty variable has the default of a missing variable', () => {
  const names = [
    'HOST',
    'PORT',
    'DATABASE_URL',
    'JWT_AUTH_SECRET',
    'ISSUER',
    'BCRYPT_COST',
    'RATE_LIMIT',
    'TRUST_PROXY',
  ]
  expect(parseEnvironment(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(parseEnvironment({}))
})

it.each([
  ['PORT', '65536'],
  ['BASE_PATH', '/a/../b'],
  ['DATABASE_URL', 'postgres:site'],
  ['JWT_AUTH_SECRET', 'hunter2'],
  ['PUBLIC_URLS', 'https://shop.example/'],
  ['ACCESS_TOKEN_SECONDS', '1h'],
  ['SESSION_IDLE_SECONDS', '-1'],
  ['SESSION_MAX_SECONDS', '315360001'],
  ['REFRESH_GRACE_SECONDS', '301'],
  ['BCRYPT_COST', '3'],
  ['RATE_LIMIT', 'ON'],
  ['OTHER_INSTANCE', 'http://a"b'],
])('%s=%s is refused in one line that names the variable, without its value', async (name, text) => {
  expect(await complaintAbout({ [name]: text })).toMatch(new RegExp(`^StartError: ${name} must be (?!.*${text}).+\\.$`))
})

it.each([
  [{ TRUST_PROXY: 'true' }, /TRUST_PROXY/],
  [{ TRUST_PROXY: '10.0.0.0/33' }, /TRUST_PROXY/],
  [{ HOST: '203.0.113.7' }, /203\.0\.113\.7, port 0 \(HOST, PORT\): EADDRNOTAVAIL/],
  [{ JWT_AUTH_SECRET: 'hunter2'.repeat(6) }, /JWT_AUTH_SECRET/],
  [{ DATABASE_URL: 'sqlite:/dev/null/site.sqlite' }, /DATABASE_URL\): \w+/],
  [
    { DATABASE_URL: 'postgres://site:hunter2@127.0.0.1:1/site' },
    /postgres:\/\/site@127.* \(DATABASE_URL\): ECONNREFUSED/,
  ],
  [{ DATABASE_URL: 'mysql://127.0.0.1:1/site?password=hunter2' }, /DATABASE_URL\): ECONNREFUSED/],
])('the site does not start with %o, and says why without a password', async (variables, reason) => {
  const complaint = await complaintAbout(variables)
  expect(complaint).toMatch(reason)
  expect(complaint).not.toContain('hunter2')
})
