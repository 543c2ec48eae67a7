import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../src/cli/run-cli.js'

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
const memory = JSON.stringify(new URL('../../storage-memory/src/index.ts', import.meta.url))
const storages = JSON.stringify(new URL('./support/test-storages.ts', import.meta.url))

const modules = {
  'valid.mjs': `import { memoryStorage } from ${memory}
    export const createStorage = () => memoryStorage({ quiet: true })`,
  'whole.mjs': `import { memoryStorage } from ${memory}
    import { damageableStorage, failingStorage, interruptedStorage } from ${storages}
    export const createFailingStorage = failingStorage
    export default async () => memoryStorage({ quiet: true })
    export const createInterruptedStorages = (moment) => { const healthy = memoryStorage({ quiet: true }); return [interruptedStorage(healthy, moment), healthy] }
    export const createHeldStorage = () => [memoryStorage({ quiet: true }), 'nothing-to-hold']
    export const createDamageableStorage = () => damageableStorage(memoryStorage({ quiet: true }))
    export const createSharedStorages = () => { const one = memoryStorage({ quiet: true }); return [one, one] }
    export const createProcessStorages = createSharedStorages
    export const close = () => {}`,
  'broken.mjs': `import { memoryStorage } from ${memory}
    export const createStorage = () => {
      const storage = memoryStorage({ quiet: true })
      return { ...storage, list: async (...args) => (await storage.list(...args)).toReversed() }
    }`,
  'endless.mjs': `export * from './broken.mjs'
    setInterval(() => {}, 1000)`,
  'unheld.mjs': `import { memoryStorage } from ${memory}
    export const createStorage = () => memoryStorage({ quiet: true })
    export const createHeldStorage = () => [createStorage(), () => 'held']`,
  'undamaged.mjs': `import { memoryStorage } from ${memory}
    export const createStorage = () => memoryStorage({ quiet: true })
    export const createDamageableStorage = () => [createStorage(), () => 'damaged']`,
  'unshared.mjs': `import { memoryStorage } from ${memory}
    export const createStorage = () => memoryStorage({ quiet: true })
    export const createSharedStorages = () => [createStorage(), undefined]`,
  'partial.cjs': 'module.exports.createStorage = () => ({ create: async () => {} })',
  'nothing.mjs': 'export const storage = {}',
  'throws.mjs': `throw new Error('no driver')`,
}

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jwt-auth-conformance-'))
  for (const [name, source] of Object.entries(modules)) await writeFile(join(folder, name), source)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns the path of a module, relative to the working directory. */
const pathOf = (name: string): string => relative('.', join(folder, name))

/** Runs the command in this process. */
const run = async (...args: readonly string[]) => {
  let [stdout, stderr] = ['', '']
  const exitCode = await runCli(args, {
    stdout: {
      write: (written) => {
        stdout += written
      },
    },
    stderr: {
      write: (written) => {
        stderr += written
      },
    },
  })
  return { exitCode, stdout, stderr }
}

/** Runs the command in its own process, as the author of an adapter does. */
const spawnCommand = async (...args: readonly string[]) => {
  const child = spawn(process.execPath, ['--conditions=@jwt-auth/source', '--import', 'tsx', cli, ...args], {})
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { exitCode: await exit, stdout, stderr }
}

describe('jwt-auth-storage-conformance', () => {
  it('prints a table and exits with 1 when it could not run every case', async () => {
    const { exitCode, stdout, stderr } = await run(pathOf('valid.mjs'))
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/^creation +\d+ passed +0 failed\n.*\d+ passed +0 failed\n/s),
    ])
    expect(stderr).toContain(
      'Export createFailingStorage, createInterruptedStorages, createHeldStorage, createSharedStorages, createProcessStorages and',
    )
    expect(stdout).toContain('sharing        not checked\n')
    expect(stderr).toContain(
      'passed  listing: list resolves to every session when several were created in the same millisecond\n',
    )
  })

  it('exits with 0 when every case ran and passed', async () => {
    const { exitCode, stdout } = await run(pathOf('whole.mjs'))
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /failures +11 passed +0 failed\ninterruptions +12 passed +0 failed\nwaiting +2 passed +0 failed\nsharing +13 passed +0 failed\nprocesses +13 passed +0 failed\ndamage +8 passed +0 failed/,
      ),
    ])
  })

  it('prints the titles of failed cases and exits with 1, even while a timer keeps the process running', async () => {
    const { exitCode, stdout, stderr } = await spawnCommand(pathOf('endless.mjs'))
    const title =
      'list sorts by createdAt, newest first, to the millisecond, regardless of the order of creation and use'
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`  - ${title}\n(      .*\n)+      [+] +id: 'session-`)),
    ])
    expect(stderr).toContain(`FAILED  listing: ${title}\n`)
  })

  it('runs only the selected cases, and exits with 0 when they pass', async () => {
    const { exitCode, stdout, stderr } = await run(
      '--only',
      'listing',
      pathOf('broken.mjs'),
      '--only',
      'resolves to stale',
    )
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/^rotation +\d+ passed +0 failed\nlisting +\d+ passed/),
    ])
    expect(stderr).toContain('Only the selected cases ran.')
    expect((await run('--only', 'lookup', pathOf('broken.mjs'))).exitCode).toBe(0)
  })

  it('says that no case is selected, and exits with 1', async () => {
    const { exitCode, stderr } = await run('--only', 'no such title', pathOf('valid.mjs'))
    expect([exitCode, stderr]).toEqual([1, 'jwt-auth-storage-conformance: --only selects no case that can run.\n'])
  })

  it.each([
    ['unheld.mjs', 'waiting', 'release is not a function'],
    ['undamaged.mjs', 'damage', 'repair is not a function'],
    ['unshared.mjs', 'sharing', 'these methods are missing'],
  ])('fails the cases of a function that returns something else: %s', async (name, capability, failure) => {
    const { stdout } = await run('--only', capability, pathOf(name))
    expect(stdout).toMatch(new RegExp(`^${capability} +\\d+ passed +[1-9]\\d* failed$`, 'm'))
    expect(stdout).toContain(failure)
  })

  it('names the missing methods of a storage', async () => {
    const { exitCode, stdout } = await run(pathOf('partial.cjs'))
    const missing = 'findByIds, findBySelectorHash, rotate, end, endAllForUser, list, endCreatedBefore, deleteExpired'
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining(`expected a session storage, but these methods are missing: ${missing}.`),
    ])
  })

  it.each([
    ['no argument', [], /^usage: npx @jwt-auth\/storage-conformance .*<module>\n/],
    ['an option', ['--help'], /^usage: /],
    ['an option without its value', ['valid.mjs', '--only'], /^usage: /],
    ['a time limit that is no whole number', ['valid.mjs', '--seconds=0.5'], /^usage: /],
    ['two arguments', ['valid.mjs', 'broken.mjs'], /^usage: /],
    ['a missing file', ['absent.mjs'], /^jwt-auth-storage-conformance: .*absent\.mjs does not exist\.\n$/],
    ['a module without createStorage', ['nothing.mjs'], /nothing\.mjs exports no function createStorage and no.*\n$/],
    ['a module that throws', ['throws.mjs'], /throws\.mjs could not be imported: no driver\n$/],
  ])('prints one message and exits with 1 for %s', async (_, args, message) => {
    const paths = args.map((arg) => (arg.startsWith('-') ? arg : pathOf(arg)))
    expect(await run(...paths)).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(message) })
  })
})
