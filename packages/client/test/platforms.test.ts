import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findEnvironment } from '../src/environment.js'
import { localStorageTokenStore } from '../src/index.js'
import { stubLocalStorage } from './support/clients.js'
import { dropRequest } from './support/faults.js'
import { ada, password, paths, startServer } from './support/test-server.js'

/** Runs a program with the client in a process of its own, to its end. Resolves to its output. */
const runScript = async (program: string, variables: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-client-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const entry = fileURLToPath(new URL('../src/index.ts', import.meta.url))
  const file = join(folder, 'script.mjs')
  const contents = `import { createAuthClient, localStorageTokenStore } from ${JSON.stringify(entry)}\n${program}`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  await writeFile(file, outputFiles[0]?.contents ?? '')
  const child = spawn(process.execPath, [file], { env: { ...process.env, ...variables } })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return output + errors
}

const script = `
const { BASE_URL: baseUrl, PASSWORD: password } = process.env
const auth = createAuthClient({ baseUrl })
await auth.login({ username: 'ada', password })
const response = await auth.fetch('/reports')
console.log(await response.text())
await auth.logout()
`

describe('a script in Node', () => {
  it('ends although a revocation is still to be repeated', async () => {
    const server = await startServer()
    server.plan(paths.revoke, ...Array.from({ length: 1_000 }, () => dropRequest))

    const output = await runScript(script, { BASE_URL: server.baseUrl, PASSWORD: password })

    expect(output).toBe(`${JSON.stringify({ userId: ada.id })}\n`)
    expect(server.requestsTo(paths.revoke)).toHaveLength(1)
  })

  it('that renders pages creates clients for a path or with cookies, and sends nothing', async () => {
    const server = await startServer()
    const program = `
      createAuthClient({ baseUrl: '/jwt-auth/v1', transport: 'cookie' })
      createAuthClient({ baseUrl: process.env.BASE_URL, transport: 'cookie' })
      createAuthClient({ baseUrl: process.env.BASE_URL, tokenStore: localStorageTokenStore() })
    `

    expect(await runScript(program, { BASE_URL: server.baseUrl })).toBe('')
    expect(server.requests).toEqual([])
  })
})

it('a process with the global object of a page, as in tests, ends', async () => {
  const program = `
    const page = { location: { origin: 'null' }, navigator: {}, addEventListener: () => {}, BroadcastChannel }
    globalThis.document = { defaultView: page }
    createAuthClient({ baseUrl: 'https://api.example.com' })
  `
  expect(await runScript(program, {})).toBe('')
})

describe('the platform', () => {
  it.each([
    ['a server has no page, also where it has APIs of browsers', 'navigator', { locks: {} }, undefined],
    ['an app has no page, also where a library adds a document', 'document', {}, undefined],
    ['a browser has the window of its document', 'document', { defaultView: globalThis }, globalThis],
  ])('of %s', (_, name, value, page) => {
    vi.stubGlobal(name, value)
    onTestFinished(() => void vi.unstubAllGlobals())

    expect(findEnvironment().page).toBe(page)
  })

  it('has timers for more than 25 days, because a proxy may send any Retry-After', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let calls = 0

    findEnvironment().startTimer(2 ** 31, () => calls++)

    vi.advanceTimersByTime(86_400_000)
    expect(calls).toBe(0)
  })
})

describe('the store in localStorage', () => {
  it('has one key, the name of its client', () => {
    const values = stubLocalStorage()
    const store = localStorageTokenStore()
    expect(store.get('name')).toBe(null)

    store.set('session', 'name')
    expect([...values]).toEqual([['name', 'session']])
    expect(store.get('name')).toBe('session')

    store.clear('name')
    expect([...values]).toEqual([])
  })

  it('may have another key', () => {
    const values = stubLocalStorage()
    localStorageTokenStore('admin').set('session', 'name')
    expect([...values.keys()]).toEqual(['admin'])
  })
})
