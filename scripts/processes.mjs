// Runs programs for other scripts. Each program leads a process group, which is killed when the
// program ends.
import { spawn } from 'node:child_process'
import { root } from './workspace.mjs'

const running = new Set()
let isEnding = false

// A terminal sends Ctrl-C only to the process group of this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isEnding = true
    for (const { kill } of running) kill()
  })
}

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
  const program = spawnProgram(command, args, { cwd, env })
  const timer = setTimeout(program.kill, 600_000)
  const { code, signal } = await program.exit.finally(() => clearTimeout(timer))
  if (code === 0) return program.output.stdout
  if (isEnding) throw new Error('interrupted')
  throw new Error(`${command} ${args.join(' ')} ended with ${signal ?? code}:\n${program.output.all}`)
}

/**
 * Starts a server and resolves when its output contains a text. Rejects when the server ends before
 * that, or when two minutes have passed.
 */
export const startServer = async (command, args, { cwd, env, readyText }) => {
  const program = spawnProgram(command, args, { cwd, env })
  const timer = setTimeout(program.kill, 120_000)
  const ready = new Promise((resolve) => program.onOutput(() => program.output.all.includes(readyText) && resolve()))
  const ended = program.exit.then(() => {
    if (isEnding) throw new Error('interrupted')
    throw new Error(`${command} ${args.join(' ')} ended before it printed "${readyText}":\n${program.output.all}`)
  })
  await Promise.race([ready, ended]).finally(() => clearTimeout(timer))
  ended.catch(() => {}) // A later end is not a failure.
  return program
}

const spawnProgram = (command, args, { cwd, env }) => {
  if (isEnding) throw new Error('interrupted')
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const output = { stdout: '', all: '' }
  const listeners = []
  const add = (name) => (chunk) => {
    if (name === 'stdout') output.stdout += chunk
    output.all += chunk
    for (const listener of listeners) listener()
  }
  child.stdout.setEncoding('utf8').on('data', add('stdout'))
  child.stderr.setEncoding('utf8').on('data', add('stderr'))

  const kill = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
  const exit = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  /**
   * Sends SIGINT and resolves when the program has ended. Kills the program after ten seconds.
   */
  const stop = async () => {
    const timer = setTimeout(kill, 10_000)
    child.kill('SIGINT')
    return exit.finally(() => clearTimeout(timer))
  }
  const program = { output, exit, kill, stop, onOutput: (listener) => listeners.push(listener) }
  running.add(program)
  exit
    .catch(() => {})
    .finally(() => {
      kill()
      running.delete(program)
    })
  return program
}
