// Builds @jwt-auth/client unless its build is newer than its sources: a page loads the built files,
// everything else the sources.
import { execSync } from 'node:child_process'
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
  execSync('npx pnpm --dir packages/client run build', { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
