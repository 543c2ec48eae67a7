// Runs programs for other scripts.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
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
 * fails, and after ten minutes.
 */
export const run = async (command, args, { cwd, env = userEnvironment() } = {}) => {
  const limits = { timeout: 600_000, killSignal: 'SIGKILL', maxBuffer: Number.POSITIVE_INFINITY }
  const program = promisify(execFile)(command, args, { cwd, env, ...limits })
  program.child.stdin?.end()
  const { stdout } = await program.catch((error) => {
    throw new Error(`${error.message}\n${error.stdout}`)
  })
  return stdout
}
