import { knexStorage } from '@jwt-auth/storage-knex'
import { connectTo, type FreshDatabase, findDatabases } from '@jwt-auth/test-support'
import type { Knex } from 'knex'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FrameworkName } from '../../src/cluster/instance/instance-settings.js'
import { withInstances } from '../../src/cluster/instance/with-instances.js'
import { type LocalHost, startLocalHost } from '../../src/faults/local-host.js'
import { measureSlowdown } from '../../src/faults/slowdown.js'
import { type Watch, watchService } from '../../src/faults/watch.js'
import type { Grant } from '../../src/history/operation-log.js'
import { everything, logIn, readsAlone, tryAll } from './try-all.js'

const frameworks: readonly FrameworkName[] = ['express5', 'express4', 'node:http']
const [sqlite] = await findDatabases()

let database: FreshDatabase
beforeEach(async () => {
  if (sqlite === undefined) throw new Error('SQLite is always there.')
  database = await sqlite.createDatabase()
})
afterEach(() => database.drop())

const fileOf = ({ url }: FreshDatabase): string => url.slice('sqlite:'.length)

const startOver = async (connection: Knex, framework: FrameworkName): Promise<LocalHost> => {
  const storage = knexStorage(connection)
  await storage.migrate()
  return startLocalHost(storage, framework)
}

const logInUntilFull = async ({ recorder, door }: Watch): Promise<readonly Grant[]> => {
  const grants: Grant[] = []
  for (;;) {
    const { grant } = await recorder.logIn(door, grants.length + 1)
    if (grant === undefined) return grants
    grants.push(grant)
  }
}

/** A session grows with each refresh, until its page has no room. Answers what each user holds by then. */
const refreshUntilFull = async ({ recorder, door }: Watch, first: readonly Grant[]): Promise<readonly Grant[]> => {
  const held = [...first]
  for (;;) {
    for (const [place, present] of held.entries()) {
      const { grant } = await recorder.refresh(door, present)
      if (grant === undefined) return held
      held[place] = grant
    }
  }
}

describe.each(frameworks)('a service on %s', (framework) => {
  it('reads on while the disk is full, and has lost nothing when there is room again', async () => {
    const connection = database.connect()
    const host = await startOver(connection, framework)
    const watch = watchService(host)
    const { recorder, door } = watch
    const [{ page_count: pages }] = await connection.raw('pragma page_count')

    await connection.raw(`pragma max_page_count = ${pages + 1}`)
    const held = await refreshUntilFull(watch, await logInUntilFull(watch))
    const visits = await Promise.all(held.map((grant) => recorder.visit(door, grant)))
    expect(visits.map(({ kind }) => kind)).toEqual(held.map(() => 'let-in'))
    expect(host.log).toEqual([
      'jwt_auth_unavailable: jwt-auth: knexStorage could not create a session (SQLITE_FULL)',
      'jwt_auth_unavailable: jwt-auth: knexStorage could not rotate a session (SQLITE_FULL)',
    ])

    await connection.raw('pragma max_page_count = 1000000')
    const refreshes = await Promise.all(held.map((grant) => recorder.refresh(door, grant)))
    expect(refreshes.map(({ outcome }) => outcome.kind)).toEqual(held.map(() => 'granted'))
    expect(await tryAll(watch, door, await logIn(watch, door, 1))).toEqual(everything)
    expect(await watch.findViolations()).toEqual([])
    await host.stop()
  })

  it('reads on while its file is read-only, and the same tokens are good when it can be written again', async () => {
    const before = await startOver(database.connect(), framework)
    const grant = await logIn(watchService(before), before, 1)
    await before.stop()

    const connection = connectTo(`sqlite:file:${fileOf(database)}?mode=ro`)
    const during = await startOver(connection, framework)
    expect(await tryAll(watchService(during), during, grant)).toEqual(readsAlone)
    expect(during.log).toEqual([
      'jwt_auth_unavailable: jwt-auth: knexStorage could not rotate a session (SQLITE_READONLY)',
      'jwt_auth_unavailable: jwt-auth: knexStorage could not create a session (SQLITE_READONLY)',
      'jwt_auth_revoke_failed: jwt-auth: knexStorage could not end a session (SQLITE_READONLY)',
    ])
    await during.stop()
    await connection.destroy()

    const after = await startOver(database.connect(), framework)
    expect(await tryAll(watchService(after), after, grant)).toEqual(everything)
    await after.stop()
  })
})

describe('services on every framework over a file that another process keeps locked', () => {
  it('read on, fail in time what they can not write, and do it when the file is free', async () => {
    const settings = frameworks.map((framework) => ({
      framework,
      storageUrl: database.url,
      options: { storageTimeoutMs: 300 * measureSlowdown() },
    }))
    await withInstances(settings, async (instances) => {
      const services = await Promise.all(
        instances.map(async (instance, place) => {
          const watch = watchService(instance)
          return { instance, watch, grant: await logIn(watch, watch.door, place + 1) }
        }),
      )
      const askAll = (): Promise<unknown> =>
        Promise.all(services.map(({ watch, grant }) => tryAll(watch, watch.door, grant)))

      const other = new Database(fileOf(database))
      other.exec('begin exclusive')
      expect(await askAll()).toEqual(services.map(() => readsAlone))
      other.exec('rollback')
      other.close()

      expect(await askAll()).toEqual(services.map(() => everything))
      for (const { instance, watch } of services) {
        expect(await watch.findViolations()).toEqual([])
        expect(await instance.report()).toMatchObject({ unhandledRejections: [], pool: { used: 0, pending: 0 } })
      }
    })
  })
})
