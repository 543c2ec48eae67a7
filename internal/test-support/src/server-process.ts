import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'

/** The command that starts a server. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** The folder in which the server starts. @default the folder of this process */
  readonly cwd?: string
  /** @default the variables of this process */
  readonly env?: NodeJS.ProcessEnv
  /** Part of the line of output that the server prints when it accepts connections. */
  readonly readyLine: string
  /** The signal that ends the server and its child processes immediately. @default 'SIGKILL' */
  readonly crashSignal?: NodeJS.Signals
  /** The user that the server runs as; `undefined` for the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

/** A running server. */
export type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>

const running = new Set<() => void>()
// Before other listeners, which remove the files of the servers.
process.prependOnceListener('exit', () => {
  for (const end of running) end()
})

/** A program, and the programs that it started. */
type ProgramGroup = ReturnType<typeof startGroup>

/**
 * Starts a program in a group of its own, which receives `crashSignal` when this process exits before
 * the program. Ctrl-C at a terminal reaches whole groups, and would end a server during its test.
 */
export const startGroup = (
  command: string,
  args: readonly string[],
  { crashSignal = 'SIGKILL', ...options }: SpawnOptions & { readonly crashSignal?: NodeJS.Signals | undefined },
) => {
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  /** Sends a signal to all programs of the group. */
  const signalAll = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // The group has ended.
    }
  }
  const crash = (): void => signalAll(crashSignal)
  running.add(crash)
  child.once('exit', () => running.delete(crash))
  return { child, signalAll }
}

/**
 * Starts a server, and resolves when it accepts connections. Rejects with its last lines of output
 * when it exits earlier. A server that still runs when this process exits is killed.
 */
export const startServerProcess = async ({
  command,
  args,
  cwd,
  env = process.env,
  readyLine,
  user,
  crashSignal,
}: ServerCommand) => {
  // Servers write messages in the language of their environment.
  const { child, signalAll } = startGroup(command, args, { ...user, cwd, env: { ...env, LC_ALL: 'C' }, crashSignal })
  await untilReady(child, command, readyLine)
  return {
    processId: child.pid ?? 0,
    /** Sends a signal and waits until the process has exited. */
    stop: (signal: NodeJS.Signals) => untilExit(child, () => child.kill(signal)),
    /** Sends SIGINT to the process and its child processes, as a terminal does, and waits for its exit. */
    pressCtrlC: () => untilExit(child, () => signalAll('SIGINT')),
  }
}

const untilReady = (child: ProgramGroup['child'], command: string, readyLine: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let lastLines: readonly string[] = []
    const look = (line: string): void => {
      lastLines = [...lastLines, line].slice(-10)
      if (line.includes(readyLine)) resolve()
    }
    createInterface({ input: child.stdout }).on('line', look)
    createInterface({ input: child.stderr }).on('line', look)
    child.once('error', reject)
    child.once('close', () => reject(new Error([`${command} ended before it was ready:`, ...lastLines].join('\n'))))
  })

const untilExit = async (child: ChildProcess, send: () => unknown): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  send()
  await exit
}

// Below the ports that systems assign to outgoing connections. A client that reconnects to a
// stopped server could otherwise get the port of that server as its source port. It would then
// connect to itself, or the server could not start again.
const lowest = 15_000
const highest = 30_000
const found = new Set<number>()

/**
 * Resolves to a port of 127.0.0.1 where nothing listens, for a server that is stopped and started
 * again.
 */
export const findFreePort = async (): Promise<number> => {
  const port = randomInt(lowest, highest)
  // A server that starts concurrently does not listen at its port yet.
  const isNew = !found.has(port)
  found.add(port)
  return isNew && (await canListen(port)) ? port : findFreePort()
}

const canListen = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

// Long enough for any burst.
const backlog = 4_096

/** Listens on a free port of 127.0.0.1. Resolves to the port. */
export const listen = async (server: Server): Promise<number> => {
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog }), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return address.port
}
