import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { SessionStorage } from '@jwt-auth/core'
import { knexStorage } from '@jwt-auth/storage-knex'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService, testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it, onTestFinished } from 'vitest'
import { copySessions } from '../src/commands/copy-sessions.js'
import type { CliConfig } from '../src/config.js'
import { createTerminal, run } from './support/run.js'

const [sqlite, postgresql] = await findDatabases()
const configFile = fileURLToPath(new URL('support/shared.config.ts', import.meta.url))

const openStore = async ({ isMigrated = true, server = sqlite } = {}) => {
  const database = await server.createDatabase()
  onTestFinished(database.drop)
  const open = () => knexStorage(database.connect())
  const storage = open()
  if (isMigrated) await storage.migrate()
  const system = { ...createTestSystem(), randomBytes }
  const { service, users } = createTestService({ storage, system })
  const options = { secret: testSecret, issuer: testIssuer, users, storage }
  const find = async () => (await storage.findPage?.({ limit: 1_000 }))?.sessions
  return { database, open, service, system, options, find, storage }
}

type Store = Awaited<ReturnType<typeof openStore>>

const copy = async (from: Store, to: { readonly options: CliConfig['options'] }) => {
  const { terminal } = createTerminal({ now: from.system.now() })
  return (await copySessions(from.options, to.options, terminal)).json
}

const logIn = ({ service }: Store) => service.sessions.create(ann.id)

const same = { copied: 0, rotated: 0, ended: 0, differing: 0, differingIds: [] }

describe('jwt-auth sessions copy', () => {
  it('copies active sessions, and later what changed: logins, refreshes and ends', async () => {
    const [from, to] = [await openStore(), await openStore()]
    const [first, second, ended] = [await logIn(from), await logIn(from), await logIn(from)]
    await from.service.revoke(ended.accessToken)
    expect(await copy(from, to)).toEqual({ ...same, copied: 2 })
    from.system.advance(60_000)
    await logIn(from)
    const { refreshToken } = await from.service.refresh(first.refreshToken)
    await from.service.revoke(second.accessToken)
    expect(await copy(from, to)).toEqual({ ...same, copied: 1, rotated: 1, ended: 1 })
    expect(await copy(from, to)).toEqual(same)
    to.system.set(from.system.now())
    await expect(to.service.refresh(refreshToken)).resolves.toMatchObject({ user: { id: ann.id } })
    await expect(to.service.refresh(second.refreshToken)).rejects.toMatchObject({
      code: 'jwt_auth_invalid_refresh_token',
    })
  })

  it('copies a rotation by an instance whose clock is behind', async () => {
    const [from, to] = [await openStore(), await openStore()]
    const { refreshToken } = await logIn(from)
    await copy(from, to)
    from.system.stepMs(-2_000)
    await from.service.refresh(refreshToken)
    expect(await copy(from, to)).toEqual({ ...same, rotated: 1 })
  })

  it('copies no expired session and no session of another issuer', async () => {
    const [from, to] = [await openStore(), await openStore()]
    await logIn(from)
    from.system.advance(400 * 86_400_000)
    const other = createTestService({ storage: from.storage, issuer: 'https://other.example.com' })
    await other.service.sessions.create(ann.id)
    expect(await copy(from, to)).toEqual(same)
    expect(await to.find()).toEqual([])
  })

  it('undoes no end and no later rotation of the target, ends nothing there, and reports the difference', async () => {
    const [from, to] = [await openStore(), await openStore()]
    const [first, second] = [await logIn(from), await logIn(from)]
    await copy(from, to)
    to.system.advance(60_000)
    await to.service.refresh(first.refreshToken)
    await to.service.revoke(second.accessToken)
    await logIn(to)
    const before = await to.find()
    const differingIds = expect.arrayContaining((before ?? []).map(({ id }) => id))
    expect(await copy(from, to)).toEqual({ ...same, differing: 3, differingIds })
    expect(await to.find()).toEqual(before)
  })

  it('prints the ids of the first five sessions that differ', async () => {
    const [from, to] = [await openStore(), await openStore()]
    for (let count = 0; count < 6; count += 1) await logIn(to)
    const ids = (await to.find())?.map(({ id }) => id).slice(0, 5)
    const { terminal } = createTerminal({ now: from.system.now() })
    expect((await copySessions(from.options, to.options, terminal)).text).toBe(
      `Sessions copied: 0, rotated: 0, ended: 0, differing: 6, such as ${ids?.join(', ')}`,
    )
  })

  it('waits for the other writes in flight when a write fails, and fails with its error', async () => {
    const [from, to] = [await openStore(), await openStore()]
    for (let count = 0; count < 3; count += 1) await logIn(from)
    const written: string[] = []
    const [first] = (await from.find()) ?? []
    const create: SessionStorage['create'] = async ({ id }) => {
      if (id === first?.id) throw new Error('denied')
      await setImmediate()
      written.push(id)
    }
    const target = { options: { ...to.options, storage: { ...to.storage, create } } }
    await expect(copy(from, target)).rejects.toThrow('denied')
    expect(written).toHaveLength(2)
  })

  it('shows its progress while it copies, and while it compares', async () => {
    const [from, to] = [await openStore(), await openStore()]
    await from.service.revoke((await logIn(from)).accessToken)
    const [ended] = (await from.find()) ?? []
    const sessions = Array.from({ length: 1_000 }, () => ended ?? expect.unreachable())
    const findPage: SessionStorage['findPage'] = async () => ({ sessions, next: undefined })
    const { terminal, printed } = createTerminal({ now: from.system.now() })
    await copySessions({ ...from.options, storage: { ...from.storage, findPage } }, to.options, terminal)
    expect(printed.stderr).toBe('1000 sessions read…\n1000 sessions compared…\n')
  })

  it.each<[string, (from: Store, to: Store) => Partial<CliConfig['options']> | Promise<Partial<CliConfig['options']>>]>(
    [
      ['The source and the target are the same tables or keys of one database.', (from) => ({ storage: from.open() })],
      ['The configurations have different issuers.', () => ({ issuer: 'https://other.example.com' })],
      ['The storage of the target has no method findPage.', () => ({ storage: memoryStorage({ quiet: true }) })],
      [
        'The storage of the target is not ready. Run `doctor` with its configuration.',
        async () => ({ storage: (await openStore({ isMigrated: false })).storage }),
      ],
      [
        'could not end a session (SQLITE_READONLY)',
        async (_, to) => {
          const knex = to.database.connect({ min: 1, max: 1 })
          await knex.raw('pragma query_only = on')
          return { storage: knexStorage(knex) }
        },
      ],
    ],
  )('is refused before anything is written: %s', async (message, change) => {
    const [from, to] = [await openStore(), await openStore()]
    await logIn(from)
    const before = await from.find()
    await expect(copy(from, { options: { ...to.options, ...(await change(from, to)) } })).rejects.toThrow(message)
    expect([await from.find(), await to.find()]).toEqual([before, []])
  })

  it('copies to other tables of the same database', async () => {
    const from = await openStore()
    await logIn(from)
    const storage = knexStorage(from.database.connect(), { table: 'other_sessions' })
    await storage.migrate()
    expect(await copy(from, { options: { ...from.options, storage } })).toEqual({ ...same, copied: 1 })
  })

  it('continues after an interruption', async () => {
    const [from, to] = [await openStore(), await openStore()]
    for (let count = 0; count < 3; count += 1) await logIn(from)
    const interruption = new AbortController()
    const findPage: SessionStorage['findPage'] = async ({ after }) => {
      if (after !== undefined) interruption.abort()
      return from.storage.findPage?.({ after, limit: 1 }) ?? expect.unreachable()
    }
    const { terminal } = createTerminal({ now: from.system.now(), signal: interruption.signal })
    const slow = { ...from.options, storage: { ...from.storage, findPage } }
    await expect(copySessions(slow, to.options, terminal)).rejects.toThrow('aborted')
    expect(await to.find()).toHaveLength(2)
    expect(await copy(from, to)).toEqual({ ...same, copied: 1 })
  })

  it('needs another module of configuration', async () => {
    Object.assign(globalThis, { jwtAuthCliConfig: { options: (await openStore()).options } })
    const args = ['--config', configFile, 'sessions', 'copy']
    expect(await run(args)).toMatchObject({ exitCode: 2 })
    expect(await run([...args, '--to', configFile])).toMatchObject({
      exitCode: 2,
      stderr: 'jwt-auth: The source and the target are the same tables or keys of one database.\n',
    })
  })
})

describe('the configurations of jwt-auth sessions copy', () => {
  const runCopy = async (configs: readonly unknown[]) => {
    const left = [...configs]
    Object.defineProperty(globalThis, 'jwtAuthCliConfig', { configurable: true, get: () => left.shift() })
    onTestFinished(() => void Reflect.deleteProperty(globalThis, 'jwtAuthCliConfig'))
    return run(['--config', configFile, 'sessions', 'copy', '--to', configFile])
  }

  it.each<[string, (options: CliConfig['options']) => unknown]>([
    ['must be { options: { secret, issuer, users, storage }, close }', () => null],
    ['option `storage` is missing', ({ storage, ...options }) => options],
    ['option `storage` is a promise', (options) => ({ ...options, storage: Promise.resolve(options.storage) })],
    ['option `issuer` must be text', ({ issuer, ...options }) => options],
  ])('are checked before anything is read: %s', async (message, change) => {
    const { options } = await openStore({ isMigrated: false })
    const wrong = { options: change(options) }
    const outcome = { exitCode: 2, stderr: expect.stringContaining(message) }
    expect(await runCopy([wrong, { options }])).toMatchObject(outcome)
    const target = await runCopy([{ options }, wrong])
    expect(target).toMatchObject(outcome)
    expect(target.stderr).toContain(configFile)
  })
})

describeEach([postgresql], 'jwt-auth sessions copy on $name', (server) => {
  it('refuses one database for both configurations also if the role may not read the system identifier', async () => {
    const from = await openStore({ server })
    const knex = from.database.connect({ min: 1, max: 1 })
    await knex.raw('revoke execute on function pg_control_system() from public')
    await knex.raw('set role pg_read_all_data')
    const storage = knexStorage(knex)
    expect(await storage.status()).toMatchObject({ isReady: true, primary: undefined })
    const options = { ...from.options, storage }
    await expect(copy({ ...from, options }, { options })).rejects.toThrow('The source and the target are the same')
  })
})
