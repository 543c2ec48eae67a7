import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '@jwt-auth/test-support'
import { createClient, type Send } from './client.js'

/** The exit of a process, and its complete output. */
interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The host app in its own process. */
export interface HostProcess {
  readonly ended: Promise<Ending>
  /** Resolves to the output so far when stdout contains this text. Rejects when the process exits earlier. */
  readonly printed: (text: string) => Promise<string>
  readonly kill: (signal: NodeJS.Signals) => void
}

/** A host app that listens. */
export interface ListeningProcess extends HostProcess {
  readonly origin: string
  /** Sends below the base path. */
  readonly send: Send
}

/** Environment variables of a process. `undefined` removes a variable. */
export type ProcessVariables = Readonly<Record<string, string | undefined>>

const folder = fileURLToPath(new URL('../..', import.meta.url))

/** The arguments with which Node runs the sources without a build. */
export const sources: readonly string[] = ['--conditions=@jwt-auth/source', '--import', 'tsx', 'src/main.ts']

/** Resolves to the arguments with which Node runs one bundle of the sources, which starts in a third of the time. */
export const bundleHost = async (): Promise<readonly string[]> => [
  join(await bundlePrograms({ folder, entries: ['main.ts'] }), 'main.mjs'),
]

/** Starts the program with these variables and the `PATH` of this process. The caller must end the program. */
export const spawnHost = (program: readonly string[], variables: ProcessVariables): HostProcess => {
  const child = spawn(process.execPath, program, {
    cwd: folder,
    // Node's own warnings change from version to version.
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    stdout,
    stderr,
  }))

  const printed = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (stdout.includes(text)) resolve(stdout)
      }
      child.stdout.on('data', look)
      ended.then(() => reject(new Error(`The process ended before it printed "${text}": ${stdout}${stderr}`)), reject)
      look()
    })

  return { ended, printed, kill: (signal) => child.kill(signal) }
}

/** Waits until a process listens. */
export const whenListening = async (host: HostProcess, basePath = ''): Promise<ListeningProcess> => {
  const [, origin = ''] = /^listening on (\S+)\n/m.exec(await host.printed('listening on ')) ?? []
  return { ...host, origin, send: createClient(origin + basePath) }
}
