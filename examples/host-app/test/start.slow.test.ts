import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { withoutPassword } from '../src/database.js'
import { StartError } from '../src/start-error.js'
import { it } from './support/it.js'

const password = 'hunter2'

/** A server that accepts connections and sends nothing. */
interface SilentServer {
  readonly port: number
  readonly stop: () => void
}

const startSilentServer = async (): Promise<SilentServer> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

// RFC 5737: 203.0.113.7 belongs to nobody.
const refusals: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['no PostgreSQL server listens', { DATABASE_URL: `postgres://site:${password}@127.0.0.1:1/site` }, /DATABASE_URL/],
  ['no MySQL server listens', { DATABASE_URL: `mysql://site:${password}@127.0.0.1:1/site` }, /DATABASE_URL/],
  ['no Redis server listens', { DATABASE_URL: `redis://:${password}@127.0.0.1:1` }, /DATABASE_URL/],
  ['a password contains @', { DATABASE_URL: `postgres://site:x@${password}@127.0.0.1:1/site` }, /DATABASE_URL/],
  [
    'the query contains a password',
    { DATABASE_URL: `postgres://127.0.0.1:1/site?user=site&password=${password}` },
    /DATABASE_URL/,
  ],
  ['a SQLite file is a folder', { DATABASE_URL: `sqlite:${tmpdir()}` }, /DATABASE_URL/],
  ['a SQLite file is below a file', { DATABASE_URL: 'sqlite:/dev/null/site.sqlite' }, /DATABASE_URL/],
  ['a SQLite file is not a database', { DATABASE_URL: `sqlite:${fileURLToPath(import.meta.url)}` }, /DATABASE_URL/],
  ['the address is not of this machine', { HOST: '203.0.113.7' }, /203\.0\.113\.7/],
  ['the secret is long but weak', { JWT_AUTH_SECRET: password.repeat(6) }, /JWT_AUTH_SECRET/],
]

const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe.concurrent('startHost', () => {
  it.for(refusals)(
    'throws one sentence without a password when %s',
    async ([, variables, subject], { expect, startSiteOn }) => {
      const thrown = await rejectionOf(startSiteOn('memory:', variables))

      expect.soft(thrown).toBeInstanceOf(StartError)
      expect.soft(String(thrown)).toMatch(new RegExp(`^(?=.*${subject.source}).*: .*\\S(\\nSee \\S+)?$`))
      expect.soft(String(thrown)).not.toContain(password)
    },
  )

  it.for(['postgres', 'mysql', 'redis'])(
    'throws one line when a server of %s never responds',
    async (scheme, { expect, onTestFinished, startSiteOn }) => {
      const { port, stop } = await startSilentServer()
      onTestFinished(stop)
      const thrown = await rejectionOf(startSiteOn(`${scheme}://site:${password}@127.0.0.1:${port}/1`))

      expect.soft(String(thrown)).toMatch(/^StartError: .*DATABASE_URL.*: no response$/)
      expect.soft(String(thrown)).not.toContain(password)
    },
  )

  it('throws one line when its port is in use', async ({ expect, onTestFinished, startSiteOn }) => {
    const { port, stop } = await startSilentServer()
    onTestFinished(stop)

    expect(String(await rejectionOf(startSiteOn('memory:', { PORT: String(port) })))).toMatch(
      `${port} (HOST, PORT): EADDRINUSE`,
    )
  })
})

describe('a database URL in a message', () => {
  it.for([
    `postgres://site:${password}@db/site`,
    `redis://:${password}@127.0.0.1:6379/site?password=${password}`,
    `rediss://site:${password}@cache:6380/2`,
  ])('does not contain the password of %s', (url, { expect }) => {
    expect(withoutPassword(url)).toMatch(/^(postgres|rediss?):\/\/(site@)?[\w.]+(:\d+)?\/\w+$/)
    expect(withoutPassword(url)).not.toContain(password)
  })
})

describe.concurrent('a process of the host app', () => {
  it.for([
    [
      'it cannot start',
      { DATABASE_URL: `postgres://site:${password}@127.0.0.1:1/site` },
      /^host-app: .*DATABASE_URL.*: .*\n$/,
    ],
    [
      'variables are wrong, all of which it names',
      { PORT: 'eighty', BCRYPT_COST: '99', JWT_AUTH_SECRET: password },
      /^.*PORT must.*JWT_AUTH_SECRET must.*BCRYPT_COST must.*\n$/,
    ],
  ] as const)(
    'exits with 1 and one line without a password when %s',
    async ([, variables, line], { expect, spawnProcess }) => {
      const ending = await spawnProcess(variables).ended

      expect.soft(ending).toMatchObject({ code: 1, signal: null, stdout: '' })
      expect.soft(ending.stderr).toMatch(line)
      expect.soft(ending.stderr).not.toContain(password)
    },
  )

  it('says that access tokens end with it when its secret is random', async ({ expect, startProcess }) => {
    const host = await startProcess({ JWT_AUTH_SECRET: undefined })

    expect(await host.printed('listening on ')).toMatch(/JWT_AUTH_SECRET.*random.*access tokens end with this process/)
  })
})
