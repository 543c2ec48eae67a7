import { mkdir, readdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import manifest from '@jwt-auth/cli/package.json' with { type: 'json' }
import { jwtAuth } from '@jwt-auth/express'
import { knexStorage } from '@jwt-auth/storage-knex'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { findDatabases } from '@jwt-auth/test-support'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { run, type TerminalSetup } from './support/run.js'

const options = {
  secret: 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb',
  issuer: 'https://api.example.com',
  users: createTestDirectory(),
  storage: memoryStorage({ quiet: true }),
}

// A module of configuration in this process returns what the test set.
const configFile = fileURLToPath(new URL('support/shared.config.ts', import.meta.url))
const setConfig = (config: object): void => void Object.assign(globalThis, { jwtAuthCliConfig: config })
const cli = (...args: readonly string[]) => run(['--config', configFile, ...args])
const explain = (token: string, now?: number) => run(['--config', configFile, 'explain'], { input: token, now })

// No function that calls itself can read it.
const deep = Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`).toString('base64url')

const logIn = () => jwtAuth({ ...options, storage: options.storage }).sessions.create(ann.id)

beforeEach(() => {
  options.storage = memoryStorage({ quiet: true })
  setConfig({ options })
})

describe('jwt-auth secret and jwt-auth keys generate', () => {
  it('print a secret and keys that jwtAuth accepts', async () => {
    const secret = (await run(['secret'])).stdout.trim()
    expect(() => jwtAuth({ ...options, secret })).not.toThrow()
    // RS256 has the same keys as PS256, and takes as long to generate them.
    for (const algorithm of ['ES256', 'EdDSA', 'PS256'] as const) {
      const { stdout } = await run(['--json', 'keys', 'generate', '--algorithm', algorithm])
      const { key } = JSON.parse(stdout)
      expect(() => jwtAuth({ ...options, keys: [{ key, algorithm, state: 'active' }] })).not.toThrow()
    }
  })
})

describe('jwt-auth sessions', () => {
  it('accepts a storage that is an instance of a class', async () => {
    const { list, ...others } = options.storage
    class OwnStorage {
      readonly #list = list
      list(...args: Parameters<typeof list>) {
        return this.#list(...args)
      }
    }
    setConfig({ options: { ...options, storage: Object.assign(new OwnStorage(), others) } })
    expect(await cli('sessions', 'list', '1')).toMatchObject({ exitCode: 0, stdout: 'No sessions.\n' })
  })

  it('lists and ends the sessions of a user', async () => {
    const { accessToken } = await logIn()
    const [{ id }] = JSON.parse((await cli('--json', 'sessions', 'list', '1')).stdout).sessions
    expect((await cli('sessions', 'list', '1')).stdout).toMatch(new RegExp(`^${id}  opened .*  active  `))
    expect(await cli('sessions', 'revoke', '1', id, '--yes')).toMatchObject({ exitCode: 0, stdout: `${id}: ended\n` })
    for (const missing of ['no-such-session', '-'.repeat(22)])
      expect(await cli('sessions', 'revoke', '1', missing, '--yes')).toMatchObject({ exitCode: 1 })
    await logIn()
    expect((await cli('sessions', 'revoke-all', '1', '--yes')).stdout).toBe('Sessions ended: 1\n')
    expect((await cli('sessions', 'list', '1', '--ended')).stdout).toContain('(revoked_all)')
    await expect(jwtAuth(options).verify(accessToken)).rejects.toMatchObject({ code: 'jwt_auth_invalid_token' })
  })

  it('ends the sessions that were opened before an instant, and reports each thousand', async () => {
    let batches = 12
    const endCreatedBefore = async ({ limit }: { readonly limit: number }) => {
      batches -= 1
      return batches < 0 ? 0 : limit
    }
    setConfig({ options: { ...options, storage: { ...options.storage, endCreatedBefore } } })
    const { stdout, stderr } = await cli('sessions', 'revoke-all-created-before', 'now', '--yes')
    expect(stdout).toMatch(/^Sessions ended: \d+\n$/)
    expect(stderr).toContain('1000 sessions ended…\n')
  })

  it('exits with 2 for text that is no instant', async () => {
    expect(await cli('sessions', 'revoke-all-created-before', 'yesterday', '--yes')).toMatchObject({
      exitCode: 2,
      stderr: 'jwt-auth: yesterday is no instant. Write 2026-01-31T12:00:00Z, or now.\n',
    })
  })

  it.each([[[]], [['--json']]])('prints no control character of a user agent: %j', async (flags) => {
    await jwtAuth(options).sessions.create(ann.id, { device: { userAgent: 'a\u009b31m\u202e\u{e0041}b' } })
    const { stdout } = await cli(...flags, 'sessions', 'list', '1')
    expect(stdout).toContain('a\\u009b31m\\u202e\\udb40\\udc41b')
    expect(stdout).not.toMatch(/[\u009b\u202e]/)
  })

  it('prints the attributes of a session that has some', async () => {
    await logIn()
    await jwtAuth(options).sessions.create(ann.id, { attributes: { act: { sub: 'admin-7' } } })
    const { stdout } = await cli('sessions', 'list', '1')
    expect(stdout.match(/ {2}\{.*$/gm)).toEqual(['  {"act":{"sub":"admin-7"}}'])
  })

  it('exits with 2 if revoke-all ends nothing because no user has the id', async () => {
    await logIn()
    const stderr = 'jwt-auth: No session was ended: no user has the id "ann". Pass the id, not the name.\n'
    expect(await cli('sessions', 'revoke-all', 'ann', '--yes')).toEqual({ exitCode: 2, stdout: '', stderr })
    expect((await cli('sessions', 'revoke-all', '1', '--yes')).stdout).toBe('Sessions ended: 1\n')
    expect(await cli('sessions', 'revoke-all', '1', '--yes')).toMatchObject({
      exitCode: 0,
      stdout: 'Sessions ended: 0\n',
    })
  })

  it('exits with 2 if list finds nothing because no user has the id, and the user 1 is not the user "1"', async () => {
    expect(await cli('sessions', 'list', '1')).toMatchObject({ exitCode: 0, stdout: 'No sessions.\n' })
    await logIn()
    const stderr = 'jwt-auth: No session was found: no user has the id "1". Pass the id, not the name.\n'
    expect(await cli('sessions', 'list', '"1"')).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it.each([
    ['y\n', 'Sessions ended: 1\n', 0],
    ['n\n', '', 2],
  ])('asks before it ends sessions, and obeys the answer %j', async (input, stdout, exitCode) => {
    await logIn()
    const args = ['--config', configFile, 'sessions', 'revoke-all', '1']
    const outcome = await run(args, { input, isInteractive: true })
    expect(outcome).toMatchObject({ stdout, exitCode, stderr: expect.stringContaining('`revoke-all 1`? [y/N]') })
  })

  it('ends nothing without a terminal and without --yes', async () => {
    await logIn()
    expect(await cli('sessions', 'revoke-all', '1')).toMatchObject({ exitCode: 2, stdout: '' })
    expect((await cli('sessions', 'list', '1')).stdout).toContain('active')
  })
})

describe('a user directory and a `close` that do not respond', () => {
  const limit = 'jwt-auth: no response within 5000 ms'

  /** Runs a command. Calls `onWait` when the command starts to wait. */
  const runHanging = (command: string, setup: TerminalSetup, onWait: () => unknown) => {
    const hang = () => {
      onWait()
      return new Promise(() => {})
    }
    const users = { ...options.users, findByUsername: hang, findById: hang }
    setConfig({ options: { ...options, issuer: 'http://localhost:3000', users }, close: hang })
    return run(['--config', configFile, ...command.split(' ')], setup)
  }

  it.each([
    ['doctor', { stdout: expect.stringContaining(`users: the store does not serve them: ${limit} (users).`) }],
    ['sessions list 1', { stderr: `${limit} (users.findById).\n` }],
  ])('end %s with 1 after five seconds each', async (command, printed) => {
    const { startTimer, runFor } = createTestClock()
    const outcome = await runHanging(command, { startTimer }, () => runFor(5_000))
    expect(outcome).toMatchObject({ exitCode: 1, ...printed })
  })

  it.each(['doctor', 'sessions list 1'])('end %s with 130 when it is interrupted', async (command) => {
    const interruption = new AbortController()
    const outcome = await runHanging(command, interruption, () => interruption.abort())
    expect(outcome).toMatchObject({ exitCode: 130, stdout: '' })
  })
})

describe('jwt-auth explain', () => {
  it('accepts an access token and a refresh token, uses up nothing and prints neither', async () => {
    const { accessToken, refreshToken } = await logIn()
    for (const token of [accessToken, `Bearer ${accessToken}`, `DPoP ${accessToken}`, refreshToken, refreshToken]) {
      const { exitCode, stdout } = await explain(token)
      expect(stdout).toMatch(
        /^(access|refresh) token: accepted\n[\s\S]*session: .*, active until .*\n {2}user: 1 exists\n$/,
      )
      expect(exitCode).toBe(0)
      expect(stdout).not.toContain(token.slice(-30))
    }
  })

  it.each([
    ['an expired token', { now: 7_200_000 }, 'Expired token'],
    ['a token of another key', { forged: true }, 'Signature verification failed'],
    ['a token of an ended session', { ended: true }, 'ended at'],
    ['text that is no token', { token: 'abc' }, 'header: unreadable\n  claims: unreadable'],
    ['a token that is nested too deeply', { token: `${deep}.${deep}.` }, 'header: unreadable\n  claims: unreadable'],
  ])('says why %s is refused', async (_, { now = 0, forged = false, ended = false, token = '' }: Case, reason) => {
    const system = { now: () => Date.now() - now }
    const auth = jwtAuth({
      ...options,
      ...withSystem(system),
      ...(forged && { secret: 'q0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb' }),
    })
    const { accessToken } = await auth.sessions.create(ann.id)
    if (ended) await auth.sessions.revokeAll(ann.id, { reason: 'stolen_laptop' })
    const { stdout, exitCode } = await explain(token || accessToken)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^access token: refused: /)
    expect(stdout).toContain(reason)
    if (ended) expect(stdout).toContain('stolen_laptop')
  })

  it('prints the attributes of the session', async () => {
    const { accessToken } = await jwtAuth(options).sessions.create(ann.id, { attributes: { tenant: 'a' } })
    expect((await explain(accessToken)).stdout).toMatch(/session: .*, attributes \{"tenant":"a"\}\n/)
  })

  it('compares a credential version that is a number as the service does', async () => {
    const users = createTestDirectory([{ ...ann, credentialVersion: 7 }])
    setConfig({ options: { ...options, users } })
    const { accessToken } = await jwtAuth({ ...options, users }).sessions.create(ann.id)
    expect((await explain(accessToken)).stdout).toContain('user: 1 exists')
  })

  it('accepts a refresh token of a former issuer', async () => {
    const { refreshToken } = await logIn()
    setConfig({ options: { ...options, issuer: ['https://new.example.com', options.issuer] } })
    expect((await explain(refreshToken)).stdout).toMatch(/^refresh token: accepted/)
  })

  it('says that a replaced refresh token ends its session', async () => {
    const { refreshToken } = await logIn()
    const service = jwtAuth(options)
    const storage = options.storage
    const [found] = await storage.list({ issuer: options.issuer, userId: ann.id, limit: 1 })
    if (found === undefined || 'error' in found) throw new Error('The session is missing.')
    const { verifierHash: expectedVerifierHash } = found
    const recentVerifiers = [{ verifierHash: expectedVerifierHash, salt: 'salt', replacedAt: Date.now() }]
    await storage.rotate({ ...found, expectedVerifierHash, verifierHash: 'next', recentVerifiers })
    expect((await explain(refreshToken)).stdout).toMatch(/^refresh token: accepted/)
    expect((await explain(refreshToken, Date.now() + 31_000)).stdout).toContain('ends the session as a replay')
    await service.close()
  })
})

interface Case {
  readonly now?: number
  readonly forged?: boolean
  readonly ended?: boolean
  readonly token?: string
}

describe('jwt-auth migrate', () => {
  it('prints the SQL, creates the schema, and then fails if a column is missing', async () => {
    const [sqlite] = await findDatabases()
    const database = await sqlite.createDatabase()
    onTestFinished(database.drop)
    const knex = database.connect()
    setConfig({ options: { ...options, storage: knexStorage(knex) } })
    expect((await cli('migrate', '--print')).stdout).toMatch(/^create table .*;\n/)
    expect((await cli('migrate')).stdout).toBe('The schema was migrated.\n')
    expect((await cli('migrate')).stdout).toBe('The schema is up to date.\n')
    expect((await cli('migrate', '--print')).stdout).toBe('-- The schema is up to date.\n')
    await knex.raw('alter table jwt_auth_sessions drop column attributes')
    const missing = { exitCode: 1, stdout: '', stderr: expect.stringContaining('migrate() cannot add attributes') }
    for (const args of [['migrate', '--print'], ['migrate']]) {
      expect(await cli(...args)).toEqual(missing)
    }
  })

  it('refuses a storage without a schema', async () => {
    expect(await cli('migrate')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no schema to migrate') })
  })
})

describe('the command', () => {
  it.each([
    ['an unknown command', ['revoke'], "error: unknown command 'revoke'"],
    ['a missing configuration', ['doctor'], 'No jwt-auth.config.ts in this folder.'],
    ['a configuration that does not exist', ['--config', 'no.ts', 'doctor'], 'no.ts does not exist.'],
  ])('exits with 2 for %s', async (_, args, message) => {
    expect(await run(args)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) })
  })

  it('exits with 2 for a configuration without options, and for options that jwtAuth refuses', async () => {
    setConfig({ secret: 'x' })
    expect((await cli('sessions', 'list', '1')).stderr).toContain(
      'must be { options: { secret, issuer, users, storage }',
    )
    setConfig({ options: { ...options, secret: 'short' } })
    expect(await cli('sessions', 'list', '1')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('`secret`'),
    })
  })

  it('prints its version', async () => {
    expect(await run(['--version'])).toMatchObject({ exitCode: 0, stdout: `${manifest.version}\n` })
  })

  it('exits with 0 after its help', async () => {
    expect(await run(['--help'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Exit codes: 0 success'),
    })
  })
})

describe('a module of configuration in TypeScript', () => {
  it('is not cached on the disk, where others could read or replace it', async () => {
    const folder = fileURLToPath(new URL('../node_modules/.cache/temporary/', import.meta.url))
    await mkdir(folder, { recursive: true })
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      await rm(folder, { recursive: true })
    })
    expect(await cli('sessions', 'list', '1')).toMatchObject({ exitCode: 0 })
    expect(await readdir(folder)).toEqual([])
  })
})
