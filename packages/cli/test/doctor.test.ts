import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createPlainServer, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jwtAuth } from '@jwt-auth/express'
import { knexStorage } from '@jwt-auth/storage-knex'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { redisStorage } from '@jwt-auth/storage-redis'
import { findDatabases, findRedis, listen } from '@jwt-auth/test-support'
import { selfSigned } from '@jwt-auth/test-support/certificate'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CliConfig } from '../src/config.js'
import { checkPackages } from '../src/doctor/check-packages.js'
import type { Finding } from '../src/doctor/finding.js'
import { runDoctor } from '../src/doctor/run-doctor.js'
import { createTerminal } from './support/run.js'

const [sqlite, postgresql, mariadb] = await findDatabases()
const redis = await findRedis()

const options: CliConfig['options'] = {
  secret: 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb',
  issuer: 'http://localhost:3000',
  users: createTestDirectory(),
  storage: memoryStorage({ quiet: true }),
}

const diagnose = async (config: CliConfig, level: Finding['level'], now?: number): Promise<readonly string[]> => {
  const { json } = await runDoctor(config, createTerminal({ now }).terminal)
  const { findings } = json as { readonly findings: readonly Finding[] }
  return findings.filter((found) => found.level === level).map(({ check, message }) => `${check}: ${message}`)
}

/** Returns the problems that the doctor finds, without the packages of this repository. */
const findProblems = (config: CliConfig, now?: number) => diagnose(config, 'problem', now)

const openDatabase = async (server: typeof sqlite) => {
  const database = await server.createDatabase({ isDurable: true })
  onTestFinished(database.drop)
  const knex = database.connect({ min: 1, max: 1 })
  const storage = knexStorage(knex)
  const config: CliConfig = { options: { ...options, storage }, runSql: (sql) => knex.raw(sql) }
  return { knex, storage, config }
}

describe('the doctor', () => {
  const inMemory = 'sessions: are in the memory of one process, and end with it. Use a database.'

  it.each<readonly [string, Partial<CliConfig['options']>, string]>([
    ['a weak secret', { secret: 'secret' }, 'options: jwt-auth: option `secret` is'],
    ['a missing issuer', { issuer: undefined } as never, 'options: jwt-auth: option `issuer` must be'],
    ['sessions in memory', {}, inMemory],
    ['an issuer without TLS', { issuer: 'http://api.example.com' }, 'TLS: the issuer has no https'],
    ['limits that are off', { rateLimits: false }, 'limits: are off'],
  ])('finds %s', async (_, changes, problem) => {
    const problems = await findProblems({ options: { ...options, ...changes } })
    expect(problems).toContainEqual(expect.stringContaining(problem))
  })

  it('finds a certificate that clients do not accept', async () => {
    const server = createServer(selfSigned).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const problems = await findProblems({ options: { ...options, issuer: `https://localhost:${port}` } })
    expect(problems).toContainEqual(expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'))
  })

  it('reminds of purges that are off', async () => {
    const config = { options: { ...options, purgeIntervalSeconds: false as const } }
    expect(await diagnose(config, 'unknown')).toContainEqual(
      expect.stringContaining('purge: `purgeIntervalSeconds` is'),
    )
  })

  it('asks each store for what it holds', async () => {
    const fail = (name: string) => async () => {
      throw new Error(`no ${name}`)
    }
    const { storage, config } = await openDatabase(sqlite)
    await storage.migrate()
    expect(await findProblems(config)).toEqual([])
    const changes = {
      storage: { ...storage, end: fail('writes') },
      users: { ...options.users, findByUsername: fail('users') },
      rateLimits: { limiter: { reserve: fail('counts'), refund: fail('counts') } },
    }
    expect(await findProblems({ ...config, options: { ...options, ...changes } })).toEqual([
      'sessions: the store does not serve them: no writes',
      'users: the store does not serve them: no users',
      'counts of limits: the store does not serve them: no counts',
    ])
  })

  it('asks the database of the sessions for its settings, beside a Redis that has the limits', async () => {
    const { storage, config } = await openDatabase(sqlite)
    await storage.migrate()
    await config.runSql?.('pragma synchronous = normal')
    const runRedis = () => expect.unreachable()
    expect(await findProblems({ ...config, runRedis })).toEqual([expect.stringContaining('synchronous: is 1')])
  })

  it.each([
    ['finds that clients choose their address', 0, 'problem', 'proxy: clients choose their address by X-Forwarded-For'],
    ['accepts the address that the proxy of the service added', 1, 'ok', 'proxy: as it should be'],
  ] as const)('%s', async (_, place, level, finding) => {
    const { storage } = await openDatabase(sqlite)
    await storage.migrate()
    const clientAddress = ({ headers }: IncomingMessage) => headers['x-forwarded-for']?.toString().split(', ')[place]
    const server = createPlainServer()
    const issuer = `http://127.0.0.1:${await listen(server)}`
    const settings = { ...options, storage, issuer, clientAddress }
    const auth = jwtAuth(settings)
    server.on('request', (req, res) => {
      // As a proxy does.
      req.headers['x-forwarded-for'] += ', 198.51.100.7'
      auth(req, res)
    })
    onTestFinished(() => void server.close())
    expect(await diagnose({ options: settings }, level)).toContainEqual(expect.stringContaining(finding))
  })

  it('says that it cannot ask a service that does not run', async () => {
    const { storage } = await openDatabase(sqlite)
    await storage.migrate()
    const issuer = 'http://127.0.0.1:9'
    expect(await diagnose({ options: { ...options, storage, issuer } }, 'unknown')).toContainEqual(
      expect.stringContaining(`proxy: The service could not be asked at ${issuer}/jwt-auth/v1/token/validate.`),
    )
  })

  it('finds packages of different versions', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-packages-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    for (const [name, version] of [
      ['core', '1.0.0'],
      ['express', '1.1.0'],
    ] as const) {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'package.json'), JSON.stringify({ version }))
    }
    expect(checkPackages(folder)).toMatchObject({
      level: 'problem',
      message: expect.stringContaining('@jwt-auth/core 1.0.0, @jwt-auth/express 1.1.0'),
    })
  })

  it('finds a schema without its migration, an unreachable storage, and counts in each process alone', async () => {
    const { knex, storage, config } = await openDatabase(sqlite)
    expect(await findProblems(config)).toEqual([expect.stringContaining('schema: has version 0')])
    await storage.migrate()
    expect(
      await findProblems({ ...config, options: { ...config.options, storage: { ...storage, limiter: undefined } } }),
    ).toEqual([expect.stringContaining('shared limits: are counted in each process alone')])
    await knex.destroy()
    expect(await findProblems(config)).toEqual([expect.stringContaining('storage: is not ready')])
  })
})

describeEach([sqlite], 'the doctor on $name', (server) => {
  it('finds a database that does not wait for the disk or is read-only, and no problem after it is corrected', async () => {
    const { knex, storage, config } = await openDatabase(server)
    await storage.migrate()
    await knex.raw('pragma synchronous = normal')
    expect(await findProblems(config)).toEqual([expect.stringContaining('synchronous: is 1: a power failure loses')])
    await knex.raw('pragma synchronous = full')
    expect(await findProblems(config)).toEqual([])
    await knex.raw('pragma query_only = on')
    expect(await findProblems(config)).toEqual([
      expect.stringMatching(/^sessions: .*SQLITE_READONLY/),
      expect.stringMatching(/^counts of limits: .*SQLITE_READONLY/),
    ])
  })
})

describeEach([postgresql], 'the doctor on $name', (server) => {
  it('finds writes that are refused or not durable, serializable transactions and a wrong clock, and no problem without them', async () => {
    const { knex, storage, config } = await openDatabase(server)
    await storage.migrate()
    expect(await findProblems(config)).toEqual([])
    await knex.raw('set synchronous_commit = off')
    await knex.raw("set default_transaction_isolation = 'serializable'")
    expect(await findProblems(config, Date.now() + 60_000)).toEqual([
      expect.stringContaining('synchronous_commit: is off'),
      expect.stringContaining('default_transaction_isolation: is serializable'),
      expect.stringMatching(/clock: differs from that of the database by (60|59) s/),
    ])
    await knex.raw('set default_transaction_read_only = on')
    expect(await findProblems(config)).toEqual([
      expect.stringMatching(/^storage: is not ready: .*remove `default_transaction_read_only`/),
    ])
  })
})

describeEach([mariadb], 'the doctor on $name', (server) => {
  it('finds serializable transactions, and writes that are refused, and no problem without them', async () => {
    const { knex, storage, config } = await openDatabase(server)
    await storage.migrate()
    expect(await findProblems(config)).toEqual([])
    await knex.raw('set session transaction isolation level serializable')
    expect(await findProblems(config)).toEqual([expect.stringContaining('isolation: is serializable')])
    // The storage closes a connection that refuses a write, so that the settings end with it.
    await knex.raw('set session transaction read only')
    expect(await findProblems(config)).toEqual([
      expect.stringMatching(/^sessions: .*ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION/),
    ])
  })
})

describeEach([redis], 'the doctor on $name', ({ url }) => {
  it('finds writes that are not durable, keys that are evicted, and a replica', async () => {
    const client = createClient({ url: url.href })
    const prefix = `doctor:${process.pid}:`
    onTestFinished(async () => {
      await client.del(`${prefix}schema`)
      client.destroy()
    })
    await client.connect()
    const storage = redisStorage(client, { prefix })
    await storage.migrate()
    const config: CliConfig = { options: { ...options, storage } }
    const settings: Record<string, string> = {
      appendonly: 'no',
      appendfsync: 'everysec',
      'maxmemory-policy': 'allkeys-lru',
    }
    const runRedis = async (args: string[]) => {
      const [name = '', , setting = ''] = args
      if (name === 'ROLE') return ['slave']
      return name === 'CONFIG' ? [setting, settings[setting]] : client.sendCommand(args)
    }
    expect(await findProblems({ ...config, runRedis })).toEqual([
      expect.stringContaining('appendonly: is no'),
      expect.stringContaining('appendfsync: is everysec'),
      expect.stringContaining('maxmemory-policy: is allkeys lru'),
      'role of Redis: is slave: a replica accepts revoked tokens. Set it to master.',
    ])
  })
})
