import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

describe('the program', () => {
  const program = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
  const hostApp = fileURLToPath(new URL('../../../examples/host-app/', import.meta.url))

  const start = (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) => {
    const node = ['--conditions=@jwt-auth/source', '--import', 'tsx', program, ...args]
    const child = spawn(process.execPath, node, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return {
      child,
      stdout: text(child.stdout),
      stderr: text(child.stderr),
      exit: new Promise((resolve) => child.once('close', resolve)),
    }
  }

  it('finds no problem in the example site', async () => {
    const folder = fileURLToPath(new URL('../node_modules/.cache/doctor/', import.meta.url))
    await mkdir(folder, { recursive: true })
    onTestFinished(() => rm(folder, { recursive: true }))
    const doctor = start(['doctor'], hostApp, { DATABASE_URL: `sqlite:${folder}host.sqlite` })
    expect(await doctor.stdout).toMatch(/\nNo problem was found\.\n$/)
    expect(await doctor.exit).toBe(0)
  })

  it('completes the batch in flight when it is interrupted, and exits with 130', async () => {
    const folder = fileURLToPath(new URL('../node_modules/.cache/interrupted/', import.meta.url))
    await mkdir(folder, { recursive: true })
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(`${folder}jwt-auth.config.mjs`, endlessConfig)
    const purge = start(['sessions', 'purge'], folder)
    purge.child.stderr.once('data', () => purge.child.kill('SIGINT'))
    expect(await purge.stderr).toContain('Interrupted. Completed batches are kept')
    expect(await purge.exit).toBe(130)
  })
})

// Each batch deletes sessions, without an end.
const endlessConfig = `
import { memoryStorage } from '@jwt-auth/storage-memory'
import { createTestDirectory } from '@jwt-auth/test-support/test-directory'

const deleteExpired = ({ limit }) => new Promise((resolve) => setImmediate(() => resolve(limit)))
export default {
  options: {
    secret: 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb',
    issuer: 'https://api.example.com',
    users: createTestDirectory(),
    storage: { ...memoryStorage({ quiet: true }), deleteExpired },
  },
}
`
