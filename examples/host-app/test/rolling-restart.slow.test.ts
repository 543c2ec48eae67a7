import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import knex from 'knex'
import { expect, onTestFinished } from 'vitest'
import { createClient, logIn, type Reachable, refresh, requestReports } from './support/client.js'
import { it } from './support/it.js'

// `RESTARTS=20 npx vitest run examples/host-app/test/rolling-restart` restarts each instance five
// times.
const restarts = Number(process.env['RESTARTS'] ?? 4)
const instances = 4
const visitors = 12

const [, postgres] = await findDatabases()

/**
 * Starts a TCP balancer. It connects a client to the next origin that accepts connections. Resolves
 * to its origin.
 */
const startBalancer = async (origins: readonly string[], failures: string[]): Promise<string> => {
  let turn = 0
  const join = (client: Socket): void => {
    turn += 1
    const { hostname, port } = new URL(origins[turn % origins.length] ?? '')
    const server = connect(Number(port), hostname, () => server.pipe(client).pipe(server))
    server.on('error', (error) => {
      // The connection was never established.
      if ('syscall' in error && error.syscall === 'connect') return join(client)
      failures.push(`balancer: ${error}`)
      client.destroy()
    })
    client.once('error', () => server.destroy())
  }
  const listener = createServer(join).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => void listener.close())
  const address = listener.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/**
 * Visits a guarded route and refreshes in turn until the signal aborts. Resolves to the number of
 * responses.
 */
const visit = async (site: Reachable, signal: AbortSignal): Promise<number> => {
  let [tokens, responses] = [await logIn(site), 1]
  for (; !signal.aborted; responses += 1) {
    if (responses % 5 === 0) tokens = await refresh(site, tokens.refreshToken)
    const { status } = await requestReports(site, tokens.token)
    if (status !== 200) throw new Error(`The response is ${status}.`)
  }
  return responses
}

describeEach([postgres], 'four example hosts on one $name behind a balancer', (kind) => {
  it('restart one after the other, also across a migration, and no client gets an error or is logged out', async ({
    createDatabase,
    startProcess,
  }) => {
    const { url: DATABASE_URL } = await createDatabase(kind)
    const variables = { DATABASE_URL, RATE_LIMIT: 'off' }
    const hosts = await Promise.all(Array.from({ length: instances }, () => startProcess(variables)))
    const origins = hosts.map(({ origin }) => origin)
    const failures: string[] = []
    const balancer = await startBalancer(origins, failures)
    const end = new AbortController()
    const counts = Array.from({ length: visitors }, (_, place) =>
      visit({ send: createClient(balancer, place % 2 === 0) }, end.signal).catch((error: unknown) => {
        failures.push(String(error))
        return 0
      }),
    )

    for (let restart = 0; restart < restarts; restart += 1) {
      const place = restart % instances
      hosts[place]?.kill('SIGTERM')
      expect(await hosts[place]?.ended).toMatchObject({ code: 0, stderr: '' })
      if (restart === 1) await addMigration(DATABASE_URL)
      hosts[place] = await startProcess(variables)
      origins[place] = hosts[place].origin
    }
    end.abort()

    expect(await Promise.all(counts)).toStrictEqual(counts.map(() => expect.toSatisfy((count) => count > 10)))
    expect(failures).toStrictEqual([])
  })
})

/** Changes the schema as a compatible migration of a later package does. */
const addMigration = async (url: string): Promise<void> => {
  const database = knex({ client: 'pg', connection: url })
  await database.transaction(async (transaction) => {
    await transaction.raw('alter table jwt_auth_sessions add column country varchar(2)')
    await transaction('jwt_auth_sessions_migrations').insert({ version: 2, oldest_compatible: 1 })
  })
  await database.destroy()
}
