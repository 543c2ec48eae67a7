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
const broken = JSON.stringify(new URL('./broken/lists-oldest-first.ts', import.meta.url))
const interrupted = JSON.stringify(new URL('./support/interrupted-storage.ts', import.meta.url))
const failing = JSON.stringify(new URL('./support/failing-storage.ts', import.meta.url))
const holdable = JSON.stringify(new URL('./support/holdable-storage.ts', import.meta.url))

const modules = {
  'good.mjs': `import { memoryStorage } from ${memory}
    export const createStorage = () => memoryStorage({ quiet: true })`,
  'whole.mjs': `import { memoryStorage } from ${memory}
    export { failingStorage as createFailingStorage } from ${failing}
    import { interruptedStorage } from ${interrupted}
    export default async () => memoryStorage({ quiet: true })
    export const createInterruptedStorages = (moment) => { const healthy = memoryStorage({ quiet: true }); return [interruptedStorage(healthy, moment), healthy] }
    export const createHeldStorage = () => [memoryStorage({ quiet: true }), 'nothing-to-hold']
    export const createSharedStorages = () => { const one = memoryStorage({ quiet: true }); return [one, one] }
    export const close = () => {}
    setInterval(() => {}, 1000)`,
  'broken.mjs': `import { memoryStorage } from ${memory}
    import { listsOldestFirst } from ${broken}
    export const createStorage = () => listsOldestFirst(memoryStorage({ quiet: true }))`,
  'held.mjs': `import { memoryStorage } from ${memory}
    import { holdableStorage } from ${holdable}
    export const createStorage = () => memoryStorage({ quiet: true })
    export const createHeldStorage = () => holdableStorage(createStorage())`,
  'unheld.mjs': `import { memoryStorage } from ${memory}
    export const createStorage = () => memoryStorage({ quiet: true })
    export const createHeldStorage = () => [createStorage(), () => 'held']`,
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

/** A module's path, relative to the working directory. */
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

/** Runs the command in a process of its own, as an author of an adapter does. */
const spawnCommand = async (...args: readonly string[]) => {
  const child = spawn(process.execPath, ['--conditions=@jwt-auth/source', '--import', 'tsx', cli, ...args], {})
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { exitCode: await exit, stdout, stderr }
}

describe('jwt-auth-storage-conformance', () => {
  it('prints a table and exits with 1 when there are promises that it could not check', async () => {
    const { exitCode, stdout, stderr } = await run(pathOf('good.mjs'))
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/^creation +\d+ held +0 broken\n.*\d+ held +0 broken\n/s),
    ])
    expect(stderr).toContain(
      'Export createFailingStorage, createInterruptedStorages, createHeldStorage and createSharedStorages',
    )
    expect(stdout).toContain('sharing          not checked\n')
    expect(stderr).toContain('held    listing: lists every session of those created in one millisecond\n')
  })

  it('exits with 0 when every promise is checked and held, though timers run', async () => {
    const { exitCode, stdout } = await spawnCommand(pathOf('whole.mjs'))
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /failures +12 held +0 broken\ninterruptions +14 held +0 broken\nwaiting +3 held +0 broken\nsharing +5 held +0 broken/,
      ),
    ])
  })

  it('names the broken promises and exits with 1 otherwise', async () => {
    const { exitCode, stdout, stderr } = await spawnCommand(pathOf('broken.mjs'))
    const title = 'lists the newest createdAt first, to the millisecond, whatever the order of creation and use'
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`  - ${title}\n      Expected values to be`)])
    expect(stderr).toContain(`BROKEN  listing: ${title}\n`)
  })

  it('holds the backend by what the module exports', async () => {
    const { stdout } = await run(pathOf('held.mjs'))
    expect(stdout).toMatch(/^waiting +3 held +0 broken$/m)
  })

  it('names a hold that has no release', async () => {
    const { stdout } = await run(pathOf('unheld.mjs'))
    expect(stdout).toContain('what holds a backend must answer the function that releases it.')
  })

  it('names the methods that a storage lacks', async () => {
    const { exitCode, stdout } = await run(pathOf('partial.cjs'))
    const lacking =
      'findByIds, findBySelectorHash, rotate, end, endAllForUser, listActive, endCreatedBefore, clearRecentVerifiers, deleteExpired'
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringContaining(`must answer a session storage; it lacks: ${lacking}.`),
    ])
  })

  it.each([
    ['no argument', [], /^usage: jwt-auth-storage-conformance <module>\n/],
    ['an option', ['--help'], /^usage: /],
    ['two arguments', ['good.mjs', 'broken.mjs'], /^usage: /],
    ['a file that is not there', ['absent.mjs'], /^jwt-auth-storage-conformance: there is no file .*absent\.mjs\.\n$/],
    ['a module without createStorage', ['nothing.mjs'], /nothing\.mjs exports no function createStorage, neither.*\n$/],
    ['a module that throws', ['throws.mjs'], /throws\.mjs could not be imported: no driver\n$/],
  ])('explains %s in one message', async (_, args, message) => {
    const paths = args.map((arg) => (arg.startsWith('-') ? arg : pathOf(arg)))
    expect(await run(...paths)).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(message) })
  })
})
