// Runs programs for other scripts.
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { startGroup } from '../internal/test-support/src/server-process.ts'
import { root } from './workspace.mjs'

// At the exit, servers end and temporary folders are removed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

/**
 * Returns the environment of a user's shell: without the variables that npm and this workspace add
 * in `npm run`.
 */
export const userEnvironment = () => {
  const entries = Object.entries(process.env).filter(
    ([name]) => name !== 'NODE_OPTIONS' && (!/^npm_/i.test(name) || /^npm_config_registry$/i.test(name)),
  )
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.startsWith(root))
  return { ...Object.fromEntries(entries), PATH: path.join(':') }
}

/**
 * Runs a command to its end and resolves to its stdout. Rejects with its output when the command
 * fails, and after ten minutes. Then kills all programs that the command has started.
 */
export const run = async (command, args, { cwd, env = userEnvironment(), timeoutMs = 600_000 } = {}) => {
  const { child, signalAll } = startGroup(command, args, { cwd, env })
  const timer = setTimeout(signalAll, timeoutMs, 'SIGKILL')
  // A program that outlives the command would keep the output open.
  child.once('exit', () => signalAll('SIGKILL'))
  const outputs = Promise.all([text(child.stdout), text(child.stderr)])
  const [code, signal] = await once(child, 'exit').finally(() => clearTimeout(timer))
  const [stdout, stderr] = await outputs
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${signal ?? code}\n${stderr}\n${stdout}`)
  return stdout
}
