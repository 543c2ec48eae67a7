// Installs dependencies when node_modules does not match pnpm-lock.yaml, with nothing but Node and
// npm on the machine. Runs before `npm test`, `npm run example`, `npm run check` and others. Uses
// only syntax and imports that Node 12.20 knows, so that an old Node prints the message below
// instead of a syntax error.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const oldestNode = [20, 19]
const oldestPnpm = 10
const isWindows = process.platform === 'win32'

// npm passes its configuration on in variables that start with npm_. pnpm would use them as its own
// configuration.
const inherited = Object.entries(process.env).filter(
  ([name]) => !/^npm_/i.test(name) || /^npm_config_registry$/i.test(name),
)
const environment = {
  ...Object.fromEntries(inherited),
  npm_config_update_notifier: 'false',
  // Without a network, npm retries for a minute without a message. With these settings, npm retries
  // for 12 seconds.
  npm_config_fetch_retry_mintimeout: '2000',
  npm_config_fetch_retry_factor: '5',
}

// Windows starts .cmd files only through a shell. With a shell, Node warns about separate arguments
// (DEP0190). No argument needs quotes.
const run = (words, stdio) => {
  const options = { cwd: root, env: environment, stdio, encoding: 'utf8' }
  return isWindows
    ? spawnSync(words.join(' '), { ...options, shell: true })
    : spawnSync(words[0], words.slice(1), options)
}

const isNodeTooOld = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])
}

const isInstalled = () => {
  const installed = join(root, 'node_modules/.pnpm/lock.yaml')
  return existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
}

const findPnpm = () => {
  const installed = run(['pnpm', '--version'], 'pipe')
  if (installed.status === 0 && Number.parseInt(installed.stdout, 10) >= oldestPnpm) return ['pnpm']
  return ['npx', '--yes', `--package=${downloadPnpm()}`, 'pnpm']
}

// npx compares a package with the digest that the registry returns. This function compares it with
// the pinned digest.
const downloadPnpm = () => {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [pnpm, digest] = packageManager.split('+sha512.')
  const folder = 'node_modules/.pnpm-download'
  mkdirSync(join(root, folder), { recursive: true })
  const packed = run(['npm', 'pack', pnpm, '--silent', `--pack-destination=${folder}`], ['ignore', 'pipe', 'inherit'])
  if (packed.status !== 0) fail(`${pnpm} could not be downloaded. ${networkAdvice}`, packed.status)
  const tarball = `${folder}/${packed.stdout.trim().split('\n').pop()}`
  const actual = createHash('sha512')
    .update(readFileSync(join(root, tarball)))
    .digest('hex')
  if (actual !== digest) {
    fail(`The downloaded ${pnpm} does not have the SHA-512 of "packageManager" in package.json. It was not run.`, 1)
  }
  return `./${tarball}`
}

const fail = (reason, status) => {
  console.error(reason)
  process.exit(status || 1)
}

const networkAdvice =
  'The reason is above. The first install needs access to the npm registry. Run the same command again to continue.'

const install = () => {
  const pnpm = findPnpm()
  console.log(`Installing dependencies with ${pnpm.join(' ')} …`)
  // Replaces the files of an interrupted install without a prompt.
  const { status } = run([...pnpm, 'install', '--frozen-lockfile', '--config.confirm-modules-purge=false'], 'inherit')
  if (status !== 0) fail(`The install failed. ${networkAdvice}`, status)
}

if (isNodeTooOld())
  fail(`jwt-auth needs Node ${oldestNode.join('.')} or later; this is Node ${process.versions.node}.`, 1)
if (!isInstalled()) install()

// npm scripts start with `exec`, so that signals reach the program and not a shell. cmd.exe has no
// such command, so exec.cmd runs its arguments. The `goto` ends the batch file first, as in npm's
// own scripts, so that Ctrl-C shows no prompt.
const execFile = join(root, 'node_modules', '.bin', 'exec.cmd')
if (isWindows && !existsSync(execFile)) writeFileSync(execFile, '@goto #_undefined_# 2>NUL || title %COMSPEC% & %*\r\n')
