// Brings node_modules in line with pnpm-lock.yaml, with nothing but Node and npm on the machine.
// Runs before `npm test`, `npm run example` and `npm run check`; does nothing when all is in place.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const oldestNode = [20, 19]
const oldestPnpm = 10
const isWindows = process.platform === 'win32'

const readOrNothing = (path) => {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}

// npm hands its own configuration down as npm_* variables; pnpm would read them as its own.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || /^npm_config_registry$/i.test(name)),
)

const run = (command, args, stdio) =>
  spawnSync(command, args, { cwd: root, env: environment, stdio, shell: isWindows, encoding: 'utf8' })

const isNodeTooOld = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])
}

const findPnpm = () => {
  const installed = run('pnpm', ['--version'], 'pipe')
  if (installed.status === 0 && Number.parseInt(installed.stdout, 10) >= oldestPnpm) return ['pnpm', []]
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return ['npx', ['--yes', packageManager.split('+')[0]]]
}

if (isNodeTooOld()) {
  console.error(`jwt-auth needs Node ${oldestNode.join('.')} or later; this is ${process.versions.node}.`)
  process.exit(1)
}

const wanted = readOrNothing('pnpm-lock.yaml')
if (wanted === undefined || wanted !== readOrNothing('node_modules/.pnpm/lock.yaml')) {
  const [command, args] = findPnpm()
  console.log(`Installing dependencies with ${[command, ...args].join(' ')} …`)
  const result = run(command, [...args, 'install', '--frozen-lockfile'], 'inherit')
  if (result.status !== 0) {
    console.error('The install failed; its own message stands above. It is safe to run the command again.')
    process.exit(result.status ?? 1)
  }
}
