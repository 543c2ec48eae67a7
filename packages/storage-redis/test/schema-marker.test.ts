import { redisStorage } from '@jwt-auth/storage-redis'
import { findPrograms, findRedis, redisProgram } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createClient } from 'redis'
import { afterAll, expect, it } from 'vitest'
import { createSchemaMethods, knownSchema } from '../src/schema-versions.js'
import { createScriptRunner } from '../src/script-runner.js'
import { createTestUser, deleteTestKeys, findSingleNode, freshPrefix, readmeRights } from './support/redis-servers.js'

const server = await findSingleNode()
afterAll(server.stop)

const { schemaVersion: newest, oldestCompatible: oldest } = knownSchema
const later = newest + 1

const refusal = `jwt-auth: the schema of the storage has version ${later}, which needs code that knows version ${later} or later; this package knows version ${newest}. Deploy the newer package.`

const run = {
  set: "return redis.call('SET', KEYS[1], 'text')",
  fill: "return redis.call('HSET', KEYS[1], unpack(ARGV))",
}

describeEach([server], 'the schema marker on $name', ({ client, createStorage, countKeys }) => {
  const createLaterMarker = (prefix: string, oldestCompatible: number) =>
    createSchemaMethods(
      createScriptRunner(client),
      { key: `${prefix}schema`, isOneServer: false },
      { schemaVersion: later, oldestCompatible },
    )

  it('is one key that migrate writes and status does not', async () => {
    const prefix = freshPrefix()
    const storage = createStorage(prefix)
    const primary = expect.stringMatching(/^[0-9a-f]{40}$/)
    const before = { isReachable: true, isCompatible: true, knownVersion: newest, primary }
    expect(await storage.status()).toEqual({
      ...before,
      isReady: false,
      schemaVersion: 0,
      oldestCompatible: 0,
      isMigrationNeeded: true,
    })
    expect((await countKeys(prefix)).filter((count) => count > 0)).toEqual([])
    await Promise.all([storage.migrate(), storage.migrate()])
    expect(await storage.status()).toEqual({
      ...before,
      store: expect.stringMatching(/^[0-9a-f]{40}\/\d{10}\.\d+$/),
      isReady: true,
      schemaVersion: newest,
      oldestCompatible: oldest,
      isMigrationNeeded: false,
    })
    expect((await countKeys(prefix)).filter((count) => count > 0)).toEqual([1])
  })

  it('reports to a later package that its migration is needed', async () => {
    const prefix = freshPrefix()
    await createStorage(prefix).migrate()
    const marker = createLaterMarker(prefix, oldest)
    expect(await marker.status()).toMatchObject({ isReady: false, isMigrationNeeded: true, isCompatible: true })
    await marker.migrate()
    expect(await marker.status()).toMatchObject({ isReady: true, schemaVersion: later, oldestCompatible: oldest })
  })

  it('allows this package to work with a compatible marker of a later package, and is not changed', async () => {
    const prefix = freshPrefix()
    await createLaterMarker(prefix, oldest).migrate()
    const storage = createStorage(prefix)
    await storage.migrate()
    expect(await storage.status()).toMatchObject({ isReady: true, schemaVersion: later, oldestCompatible: oldest })
  })

  it('makes migrate reject when a later package wrote an incompatible marker, and nothing changes', async () => {
    const prefix = freshPrefix()
    const marker = createLaterMarker(prefix, later)
    await marker.migrate()
    const storage = createStorage(prefix)
    await expect(storage.migrate()).rejects.toThrow(refusal)
    expect(await storage.status()).toMatchObject({ isReady: false, isMigrationNeeded: false, isCompatible: false })
    expect(await marker.status()).toMatchObject({ isReady: true, schemaVersion: later, oldestCompatible: later })
    expect((await countKeys(prefix)).filter((count) => count > 0)).toEqual([1])
  })

  it('has the status unreachable after a deadline and for a marker of another origin', async () => {
    const unreachable = (code: string) => ({
      isReachable: false,
      isReady: false,
      knownVersion: newest,
      error: Object.assign(new Error(`jwt-auth: redisStorage could not read the schema version (${code})`), { code }),
    })
    const [text, versions] = [freshPrefix(), freshPrefix()]
    const commands = client.withCommandOptions({ typeMapping: {} })
    await commands.eval(run.set, { keys: [`${text}schema`], arguments: [] })
    const wrong = ['version', 'secret', 'oldestCompatible', '1']
    await commands.eval(run.fill, { keys: [`${versions}schema`], arguments: wrong })
    expect(await createStorage(text).status()).toEqual(unreachable('WRONGTYPE'))
    expect(await createStorage(versions).status()).toEqual(unreachable('TypeError'))
    expect(await createStorage().status({ signal: AbortSignal.abort() })).toEqual(unreachable('ABORT_ERR'))
  })
})

describeEach([await findRedis()], 'the status on $name', ({ url }) => {
  it('identifies the keys by their database and prefix, also without the right to INFO', async () => {
    const user = createTestUser(url)
    await user.allow([...readmeRights.filter((right) => right !== '+info'), '+select'])
    const findStore = async (database: number, prefix: string, keyPrefix = '') => {
      const own = createClient({ url: user.url, database, keyPrefix })
      await own.on('error', () => {}).connect()
      const storage = redisStorage(own, { prefix })
      await storage.migrate()
      const status = await storage.status()
      await own.close()
      return status.isReady && status.store
    }
    const prefix = freshPrefix()
    const stores = [await findStore(0, prefix), await findStore(1, prefix), await findStore(0, `${prefix}other:`)]
    expect(new Set(stores).size).toBe(3)
    expect(await findStore(0, 'other:', prefix)).toBe(stores[2])
    for (const database of [0, 1]) await deleteTestKeys(new URL(`/${database}`, url))
    await user.remove()
  })
})

it('a client that is not connected has the status unreachable, and migrate rejects', async () => {
  const storage = redisStorage(createClient())
  expect(await storage.status()).toEqual({
    isReachable: false,
    isReady: false,
    knownVersion: newest,
    error: expect.objectContaining({ code: 'ClientClosedError' }),
  })
  await expect(storage.migrate()).rejects.toThrow(
    'jwt-auth: redisStorage could not write the schema version (ClientClosedError)',
  )
})

describeEach([findPrograms('Redis', ['redis-server'])], 'the status of a replica of $name', ({ launch }) => {
  it('is not ready, and names the fix', async () => {
    const replica = await launch((installation) => redisProgram(installation, new URL('redis://127.0.0.1:1')))
    const client = createClient({ url: replica.url })
    try {
      await client.on('error', () => {}).connect()
      const error = new Error('jwt-auth: redisStorage is connected to a replica; connect to the primary.')
      expect(await redisStorage(client).status()).toMatchObject({ isReachable: true, isReady: false, error })
    } finally {
      client.destroy()
      await replica.remove()
    }
  })
})
