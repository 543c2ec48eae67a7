import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sampleSession, startStorageProcesses } from '@jwt-auth/storage-conformance'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const program = `
  import { memoryStorage } from '@jwt-auth/storage-memory'
  import { serveStorage } from './src/index.js'
  serveStorage((backend) => {
    if (backend === 'refused') throw new Error('no connection')
    if (backend === 'ends') process.exit(3)
    return { ...memoryStorage({ quiet: true }), findByIds: async (ids) => [backend, ids.length], list: async () => [() => {}] }
  })`

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-storage-processes-'))
const file = join(folder, 'storage-process.mjs')
let processes: Awaited<ReturnType<typeof startStorageProcesses>>

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    conditions: ['@jwt-auth/source'],
  })
  for (const { contents } of outputFiles) writeFileSync(file, contents)
})
afterEach(() => processes.stop())
afterAll(() => rmSync(folder, { recursive: true }))

describe('startStorageProcesses', () => {
  it('opens one storage in each process, on the backend that it receives', async () => {
    processes = startStorageProcesses(file)
    const [one, other] = await processes.open({ url: 'a' })
    expect(await one.findByIds(['1', '2'], { signal: AbortSignal.timeout(60_000) })).toEqual([{ url: 'a' }, 2])

    await one.create(sampleSession(1))
    expect(await one.findBySelectorHash(sampleSession(1).selectorHash)).toEqual(sampleSession(1))
    expect(await other.findBySelectorHash(sampleSession(1).selectorHash)).toBeUndefined()
  })

  it('rejects with the message of the storage, and when a result cannot be copied', async () => {
    processes = startStorageProcesses(file)
    const [one] = await processes.open('b')
    await one.create(sampleSession(1))
    await expect(one.create(sampleSession(1))).rejects.toThrow('could not create a session (TAKEN)')
    await expect(one.list({ ...sampleSession(1), activeAt: 1, limit: 1 })).rejects.toThrow('could not be cloned')
  })

  it('rejects when the storage cannot be opened, and when the process ends', async () => {
    processes = startStorageProcesses(file)
    await expect(processes.open('refused')).rejects.toThrow('no connection')
    await expect(processes.open('ends')).rejects.toThrow('the process of the storage ended with 3')
    await expect(processes.open('again')).rejects.toThrow('the process of the storage ended with 3')
  })
})
