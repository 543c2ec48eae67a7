import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundlePrograms } from '@jwt-auth/test-support'
import { createHttpClient } from '@jwt-auth/test-support/http-client'
import { expect, it, onTestFinished } from 'vitest'
import { jane, logIn, testVariables, toRequest } from './support/site.js'

// `SHUTDOWNS=20 npx vitest run examples/host-app/test/process` is the longer run that docs/guide/start.md reports.
const shutdowns = Number(process.env['SHUTDOWNS'] ?? 3)

const folder = fileURLToPath(new URL('..', import.meta.url))
const bundle = await bundlePrograms({ folder, entries: ['main.ts'] })

/** Starts the program, and waits until it has printed everything. */
const startProcess = async () => {
  // Node's own warnings change from version to version.
  const env = { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...testVariables, BASE_PATH: '/wp-json' }
  const child = spawn(process.execPath, [join(bundle, 'main.mjs')], { cwd: folder, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  const printed = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text
      if (output.stdout.includes('Ctrl-C')) resolve()
    })
  })
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, ...output }))
  await Promise.race([printed, ended])
  const [, origin = ''] = /^listening on (\S+)$/m.exec(output.stdout) ?? []
  return { baseUrl: `${origin}/wp-json`, output, ended, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

it('the program prints lines for a shell that show what their comments say', async () => {
  const { output, kill, ended } = await startProcess()
  const lines = [...output.stdout.matchAll(/^ {2}(.*)$/gm)].map(([, line]) => line)
  const running = promisify(execFile)('sh', ['-eu'])
  running.child.stdin?.end(['exec 2>&1', ...lines, ''].join('\n'))
  const { stdout } = await running
  const expected = lines.flatMap((line) => /^# (\d+): /.exec(line ?? '')?.[1] ?? [])
  expect(expected).toHaveLength(5)
  expect([...stdout.matchAll(/^HTTP (\d+)$/gm)].map(([, status]) => status)).toEqual(expected)
  expect(output.stdout).not.toContain(testVariables.JWT_AUTH_SECRET)
  kill('SIGINT')
  expect(await ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\nstopped\n$/) })
})

it.for(Array.from({ length: shutdowns }, (_, place) => place + 1))(
  'the program responds to every request that has arrived before SIGTERM, and resets no connection: shutdown %i',
  async () => {
    const { baseUrl, kill, ended } = await startProcess()
    const { token } = await logIn(toRequest(createHttpClient(baseUrl).send))
    const failures: unknown[] = []
    let responses = 0
    // Each client keeps its connection, and repeats its request until no connection can be established.
    const repeat = async (place: number): Promise<void> => {
      const { send, close } = createHttpClient(baseUrl)
      const request = toRequest(send)
      onTestFinished(close)
      try {
        for (;;) {
          if (place < 2) await logIn(request, jane)
          else expect((await request('GET', '/api/reports', { token })).status).toBe(200)
          responses += 1
          if (responses === 200) kill('SIGTERM')
        }
      } catch (error) {
        if (!(error instanceof Error && 'syscall' in error && error.syscall === 'connect')) failures.push(error)
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, place) => repeat(place)))
    expect(failures).toEqual([])
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  },
)
