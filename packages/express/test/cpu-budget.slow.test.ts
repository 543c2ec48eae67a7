import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { openSession } from './support/flows.js'
import { behindProxies } from './support/frameworks.js'
import { readRawResponse, sendText } from './support/raw-request.js'
import { startHost, type TestHost } from './support/test-host.js'
import { password } from './support/test-users.js'

// A lone surrogate in UTF-8. JSON has an escape sequence for it.
const surrogateBytes = '\xed\xa0\x80'

/** Writes a request with a text at one place. */
type WriteRequest = (text: string) => string

const write = (requestLine: string, headers: readonly string[], body = ''): string =>
  [
    `${requestLine} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...headers,
    `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
    '',
    body,
  ].join('\r\n')

const login = JSON.stringify({ username: 'ada', password })

const inLogin =
  (name: string, before = '', headers: readonly string[] = []): WriteRequest =>
  (text) =>
    write(
      'POST /jwt-auth/v1/token',
      ['Content-Type: application/json', ...headers, `${name}: ${before}${text}x`],
      login,
    )

const inContentType =
  (before: string): WriteRequest =>
  (text) =>
    write('POST /jwt-auth/v1/token', [`Content-Type: ${before}${text}x`], login)

const inGuarded =
  (name: string, before: string, behind = 'x'): WriteRequest =>
  (text) =>
    write('GET /reports', [`${name}: ${before}${text}${behind}`])

const inBody =
  (path: string, type: string, writeBody: (text: string) => string): WriteRequest =>
  (text) =>
    write(`POST /jwt-auth/v1${path}`, [`Content-Type: ${type}`], writeBody(text))

const inJson = (path: string, writeBody: (text: string) => string): WriteRequest =>
  inBody(path, 'application/json', (text) =>
    writeBody(JSON.stringify(text.replaceAll(surrogateBytes, '\ud800')).slice(1, -1)),
  )

const inForm = (writeBody: (text: string) => string): WriteRequest =>
  inBody('/token', 'application/x-www-form-urlencoded', writeBody)

const asCookie = ['X-JWT-Auth-Transport: cookie']
const cookie = '__Host-jwt_auth_refresh_token='

/** Every place of a request that the code reads. */
const places: readonly { readonly name: string; readonly write: WriteRequest }[] = [
  { name: 'Content-Type', write: inContentType('') },
  { name: 'Content-Type after the media type', write: inContentType('application/json') },
  { name: 'a parameter of Content-Type', write: inContentType('application/json;a=b') },
  { name: 'the charset of Content-Type', write: inContentType('application/json;charset="') },
  { name: 'Content-Encoding', write: inLogin('Content-Encoding') },
  { name: 'User-Agent', write: inLogin('User-Agent') },
  { name: 'X-Forwarded-For', write: inLogin('X-Forwarded-For') },
  { name: 'X-Forwarded-For before an address', write: inLogin('X-Forwarded-For', '192.0.2.1') },
  { name: 'Forwarded', write: inLogin('Forwarded', 'for=') },
  { name: 'X-JWT-Auth-Transport', write: inLogin('X-JWT-Auth-Transport') },
  { name: 'Sec-Fetch-Site', write: inLogin('Sec-Fetch-Site', '', asCookie) },
  { name: 'Origin', write: inLogin('Origin', 'https://', asCookie) },
  { name: 'the host in Origin', write: inLogin('Origin', 'https://a.', asCookie) },
  {
    name: 'Host',
    write: (text) => inLogin('Origin', 'https://', asCookie)('').replace('Host: 127.0.0.1', `Host: ${text}x`),
  },
  {
    name: 'Cookie',
    write: (text) =>
      write('POST /jwt-auth/v1/token/refresh', [
        ...asCookie,
        'Sec-Fetch-Site: same-origin',
        'Content-Type: application/json',
        `Cookie: a=${text}${cookie}x${text}`,
      ]),
  },
  { name: 'Authorization', write: inGuarded('Authorization', '') },
  { name: 'the scheme of Authorization', write: inGuarded('Authorization', 'Bearer') },
  { name: 'the token in Authorization', write: inGuarded('Authorization', 'Bearer x') },
  { name: 'the first part of a token', write: inGuarded('Authorization', 'Bearer x', 'x.x.x') },
  { name: 'the path of a route', write: (text) => write(`GET /jwt-auth/v1/${text}x`, []) },
  { name: 'the path before the namespace', write: (text) => write(`GET /${text}/jwt-auth/v1/me`, []) },
  { name: 'the query', write: (text) => write(`GET /jwt-auth/v1/me?a=${text}x`, []) },
  { name: 'a JSON body', write: inBody('/token', 'application/json', (text) => `${text}{}`) },
  { name: 'a name in a JSON body', write: inJson('/token', (text) => `{"${text}":"x"}`) },
  { name: 'a user name', write: inJson('/token', (text) => `{"username":"${text.slice(0, 4_000)}x","password":"x"}`) },
  { name: 'a password', write: inJson('/token', (text) => `{"username":"ada","password":"${text.slice(0, 4_000)}x"}`) },
  {
    name: 'a refresh token',
    write: inJson('/token/refresh', (text) => `{"refresh_token":"${text.slice(0, 4_000)}x"}`),
  },
  { name: 'a form', write: inForm((text) => `${text}&username=ada`) },
  { name: 'a value in a form', write: inForm((text) => `username=${text}&password=x`) },
]

// `\xa0` is the byte of a no-break space.
const fills = ['a', ' ', '\t', '"', ';', '=', ',', '\\', '%', '.', '&', '\xa0', surrogateBytes]

/** Node accepts 16 KiB of headers, and this package accepts 16 KiB of body. */
const long = 15_000

/** Returns the processor time of one request, in microseconds. */
const measure = async (port: number, request: string): Promise<number> => {
  const start = process.cpuUsage()
  await readRawResponse(sendText(port, request))
  const { user, system } = process.cpuUsage(start)
  return user + system
}

/** The processor time of the long request may be this many times that of the short request. */
const budget = 5

/**
 * Returns the fills with which the long request exceeds the budget in every run. Each run compares
 * two requests that follow each other, because other work on the machine slows both.
 */
const findSlowFills = async (port: number, write: WriteRequest): Promise<readonly string[]> => {
  const isWithinBudget = async (fill: string): Promise<boolean> => {
    const ofShort = await measure(port, write('aaa'))
    return (await measure(port, write(fill.repeat(long / fill.length)))) <= budget * ofShort
  }
  await isWithinBudget('a')
  const slow: string[] = []
  for (const fill of fills) {
    let isSlow = true
    for (let run = 0; run < 40 && isSlow; run += 1) isSlow = !(await isWithinBudget(fill))
    if (isSlow) slow.push(JSON.stringify(fill))
  }
  return slow
}

const start = async (): Promise<TestHost> => {
  const [framework] = behindProxies(1)
  if (framework === undefined) throw new Error('Express is missing.')
  const host = await startHost(framework, { options: { cookies: {}, formBodies: true, rateLimits: false } })
  await openSession(host)
  return host
}

describe('the processor time of a request', () => {
  it.each(byName(places))('stays within a few times that of a short request when it is long: %s', async (_, place) => {
    expect(await findSlowFills((await start()).port, place.write)).toStrictEqual([])
  })
})
