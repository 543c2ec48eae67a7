import { jwtAuth } from '@jwt-auth/express'
import { knexStorage } from '@jwt-auth/storage-knex'
import { connectTo, type FreshDatabase, findDatabases, withOpened } from '@jwt-auth/test-support'
import { createHttpClient } from '@jwt-auth/test-support/http-client'
import type { Knex } from 'knex'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FrameworkName } from '../../src/cluster/instance/instance-server.js'
import { createInstanceListener, listen } from '../../src/cluster/instance/instance-server.js'
import { createInstanceUsers } from '../../src/cluster/instance/instance-users.js'
import { openInstances } from '../../src/cluster/instance/start-instance.js'
import { measureSlowdown } from '../../src/faults/stage.js'
import { type Watch, watchService } from '../../src/faults/watch.js'
import type { Grant } from '../../src/history/operation-log.js'
import { allSucceed, logIn, onlyReadsSucceed, tryAll } from './support/fault-tests.js'

const frameworks: readonly FrameworkName[] = ['express5', 'express4', 'node:http']
const [sqlite] = await findDatabases()

let database: FreshDatabase
beforeEach(async () => {
  database = await sqlite.createDatabase()
})
afterEach(() => database.drop())

const fileOf = ({ url }: FreshDatabase): string => url.slice('sqlite:'.length)

/** Starts a service in this process. All services share one secret. */
const startHost = async (connection: Knex) => {
  const storage = knexStorage(connection)
  await storage.migrate()
  const log: string[] = []
  const auth = jwtAuth({
    secret: 'vT4-kQ9z_Lm2Xr7Yw0Hb5Nc8Jd1Gf6Ps3Ea',
    issuer: 'https://reliability.example',
    users: createInstanceUsers(),
    storage,
    onError: ({ code, cause }) => log.push(`${code}: ${cause instanceof Error ? cause.message : String(cause)}`),
  })
  const { url, stop } = await listen(await createInstanceListener(auth, 'express5'))
  const client = createHttpClient(url)
  return {
    url,
    client,
    /** The code and the cause of each error that `onError` received. */
    log,
    /** Finishes the requests in progress. Does not close the connection. */
    stop: async () => {
      client.close()
      await stop()
      await auth.close()
    },
  }
}

const logInUntilFull = async ({ recorder, endpoint }: Watch): Promise<readonly Grant[]> => {
  const grants: Grant[] = []
  for (;;) {
    const { grant } = await recorder.logIn(endpoint, grants.length + 1)
    if (grant === undefined) return grants
    grants.push(grant)
  }
}

/**
 * Refreshes sessions, which grow with each refresh, until a page is full. Resolves to the newest
 * tokens of each user.
 */
const refreshUntilFull = async ({ recorder, endpoint }: Watch, first: readonly Grant[]): Promise<readonly Grant[]> => {
  const held = [...first]
  for (;;) {
    for (const [place, present] of held.entries()) {
      const { grant } = await recorder.refresh(endpoint, present)
      if (grant === undefined) return held
      held[place] = grant
    }
  }
}

describe('a service over SQLite', () => {
  it('still reads while the disk is full, and has lost nothing when space is free again', async () => {
    const connection = database.connect()
    const host = await startHost(connection)
    const watch = watchService(host)
    const { recorder, endpoint } = watch
    const [{ page_count: pages }] = await connection.raw('pragma page_count')

    await connection.raw(`pragma max_page_count = ${pages + 1}`)
    const held = await refreshUntilFull(watch, await logInUntilFull(watch))
    const visits = await Promise.all(held.map((grant) => recorder.visit(endpoint, grant)))
    expect(visits.map(({ kind }) => kind)).toEqual(held.map(() => 'authenticated'))
    expect(host.log).toEqual([
      'jwt_auth_unavailable: jwt-auth: the SQL storage could not create a session (SQLITE_FULL)',
      'jwt_auth_unavailable: jwt-auth: the SQL storage could not rotate a session (SQLITE_FULL)',
    ])

    await connection.raw('pragma max_page_count = 1000000')
    const refreshes = await Promise.all(held.map((grant) => recorder.refresh(endpoint, grant)))
    expect(refreshes.map(({ outcome }) => outcome.kind)).toEqual(held.map(() => 'granted'))
    expect(await tryAll(watch, await logIn(watch, 1))).toEqual(allSucceed)
    expect(await watch.findViolations()).toEqual([])
    await host.stop()
  })

  it('still reads while its file is read-only, and accepts the same tokens when the file is writable again', async () => {
    const before = await startHost(database.connect())
    const grant = await logIn(watchService(before), 1)
    await before.stop()

    const connection = connectTo(`sqlite:file:${fileOf(database)}?mode=ro`)
    const during = await startHost(connection)
    expect(await tryAll(watchService(during), grant)).toEqual(onlyReadsSucceed)
    expect(during.log).toEqual([
      'jwt_auth_unavailable: jwt-auth: the SQL storage could not rotate a session (SQLITE_READONLY)',
      'jwt_auth_unavailable: jwt-auth: the SQL limits could not count (SQLITE_READONLY)',
      'jwt_auth_unavailable: jwt-auth: the SQL storage could not create a session (SQLITE_READONLY)',
      'jwt_auth_revoke_failed: jwt-auth: the SQL storage could not end a session (SQLITE_READONLY)',
    ])
    await during.stop()
    await connection.destroy()

    const after = await startHost(database.connect())
    expect(await tryAll(watchService(after), grant)).toEqual(allSucceed)
    await after.stop()
  })
})

describe('services on every framework over a file that another process has locked', () => {
  it('still read, fail to write within the deadline, and write when the file is unlocked', async () => {
    const settings = frameworks.map((framework) => ({
      framework,
      storageUrl: database.url,
      options: { callTimeoutMs: 300 * measureSlowdown() },
    }))
    await withOpened(openInstances(settings), async ({ instances }) => {
      const services = await Promise.all(
        instances.map(async (instance, place) => {
          const watch = watchService(instance)
          return { instance, watch, grant: await logIn(watch, place + 1) }
        }),
      )
      const askAll = (): Promise<unknown> => Promise.all(services.map(({ watch, grant }) => tryAll(watch, grant)))

      const other = new Database(fileOf(database))
      other.exec('begin exclusive')
      expect(await askAll()).toEqual(services.map(() => onlyReadsSucceed))
      other.exec('rollback')
      other.close()

      expect(await askAll()).toEqual(services.map(() => allSucceed))
      for (const { instance, watch } of services) {
        expect(await watch.findViolations()).toEqual([])
        expect(await instance.call.report()).toMatchObject({ unhandledRejections: [], pool: { used: 0, pending: 0 } })
      }
    })
  })
})
