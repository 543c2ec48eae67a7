// Builds @jwt-auth/client unless its build is newer than its sources: a page loads the built files,
// everything else the sources.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.mjs'

const folder = join(root, 'packages', 'client')

const readTime = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const isBuilt = () => {
  const sources = readdirSync(join(folder, 'src'), { recursive: true }).map((name) => join(folder, 'src', name))
  const changedAt = Math.max(...[...sources, join(folder, 'tsup.config.ts')].map(readTime))
  return readTime(join(folder, 'dist', 'index.js')) > changedAt
}

if (!isBuilt()) {
  console.log('Building @jwt-auth/client …')
  const pnpm = process.platform === 'win32' ? 'pnpm.cmd' : 'pnpm'
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', pnpm), ['run', 'build'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) console.error(`${stdout}${stderr}`)
  process.exitCode = status ?? 1
}
