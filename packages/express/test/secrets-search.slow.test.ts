import { sessionStorageMethods } from '@jwt-auth/core/internal'
import { knexStorage } from '@jwt-auth/storage-knex'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { findDatabases } from '@jwt-auth/test-support'
import { describe, expect, it, onTestFinished } from 'vitest'
import { byName } from './support/by-name.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { type StorageMethod, storageFailure } from './support/gated-storage.js'
import { logIn, startWatchedHost, useEverything, useService, type WatchedHost } from './support/watched-host.js'

/** Opens a storage on SQLite, whose driver puts statements and values into its errors, and a function that makes every statement fail. */
const openSqlite = async () => {
  const [server] = await findDatabases()
  const database = await server.createDatabase()
  onTestFinished(database.drop)
  const knex = database.connect()
  const storage = knexStorage(knex)
  await storage.migrate()
  return { storage, spoil: () => knex.schema.renameTable('jwt_auth_sessions', 'elsewhere') }
}

/** Uses everything, and once more for each method of storage while that method fails. */
const useWithFailures = async (host: WatchedHost, methods: readonly StorageMethod[]): Promise<void> => {
  for (const base of ['', '/quiet']) await useEverything(host, await logIn(host), base)
  for (const method of methods) {
    const [one, other] = [await logIn(host), await logIn(host)]
    host.storage.fail(storageFailure, method)
    await useService(host, one.token)
    await useEverything(host, one)
    await useEverything(host, other, '/quiet')
    host.storage.open()
  }
}

describe('no secret leaves a service with its sessions', () => {
  it('in SQLite, for every request and every failure of storage', async () => {
    const { storage, spoil } = await openSqlite()
    const host = await startWatchedHost(express5Framework, storage)
    await useWithFailures(host, sessionStorageMethods)
    const tokens = await logIn(host)
    await spoil()
    await useEverything(host, tokens)

    expect(host.search()).toEqual([])
    // That nothing was found counts only when there was something to search.
    expect(host.counts()).toEqual({
      responses: expect.toSatisfy((count: number) => count > 300),
      written: expect.toSatisfy((count: number) => count >= 8),
      heard: expect.toSatisfy((count: number) => count > 50),
    })
    expect(host.book.secrets.size).toBeGreaterThan(50)
    expect(host.book.tokens.size).toBeGreaterThan(50)
  })

  // A framework may log what a store throws. The method that throws makes no difference to the framework.
  it.each(byName(frameworks))('on %s, for every request and a failure of storage', async (_, framework) => {
    const host = await startWatchedHost(framework, memoryStorage({ quiet: true }))
    await useWithFailures(host, ['findByIds'])

    expect(host.search()).toEqual([])
    expect(host.counts()).toMatchObject({ responses: expect.toSatisfy((count: number) => count > 80) })
  })
})
