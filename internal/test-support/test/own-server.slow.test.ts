import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'

const source = new URL('../src/own-server.ts', import.meta.url)

it('removes the folder of a server when the process exits', () => {
  const program = `
    import { startOwnServer } from '${source}'
    await startOwnServer({
      command: process.execPath,
      args: ({ folder }) => (console.log(folder), ['-e', 'console.log("ready"); setInterval(() => {}, 1_000)']),
      readyLine: 'ready',
      url: String,
    })
    process.exit(1)`
  const args = ['--import', 'tsx', '--input-type=module', '-e', program]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  expect(stdout).toContain('jwt-auth-')
  expect(existsSync(stdout.trim())).toBe(false)
})
