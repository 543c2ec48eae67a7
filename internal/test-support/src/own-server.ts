import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findFreePort, type ServerProcess, startGroup, startServerProcess } from './server-process.js'
import { createFolder, removeFolder } from './temporary-folder.js'

/** A database server of one test, which may stop and restart it. */
export type OwnServer = Awaited<ReturnType<typeof startOwnServer>>

/** The folder, port and user of a server. */
export interface Place {
  readonly folder: string
  readonly port: number
  readonly user: SystemUser | undefined
}

/** How to start a kind of server. */
export interface ServerProgram {
  readonly command: string
  /** The user that Debian's package creates. `undefined` when the server may run as root. */
  readonly user?: string
  /** Creates the files of an empty server. @default nothing */
  readonly prepare?: ((place: Place) => Promise<void>) | undefined
  /** Further files, by name. */
  readonly files?: (place: Place) => Readonly<Record<string, string>>
  readonly args: (place: Place) => readonly string[]
  readonly readyLine: string
  /**
   * The signal that ends all its processes immediately, without writing anything.
   * @default 'SIGKILL'
   */
  readonly crashSignal?: NodeJS.Signals
  /** The signal that shuts it down without waiting for its clients. @default 'SIGTERM' */
  readonly cleanSignal?: NodeJS.Signals
  readonly url: (port: number) => string
}

/**
 * Starts a server on a free port, with its files in a temporary folder. Both are removed at the
 * latest when this process exits.
 */
export const startOwnServer = async (program: ServerProgram) => {
  const user = program.user === undefined ? undefined : findServerUser(program.user)
  const folder = createFolder()
  await giveTo(user, folder)
  const place: Place = { folder, port: await findFreePort(), user }
  const { command, readyLine, crashSignal = 'SIGKILL', cleanSignal = 'SIGTERM' } = program
  let running: ServerProcess | undefined

  /** Restarts the server on the same files. Resolves when it accepts connections. */
  const start = async (): Promise<void> => {
    running ??= await startServerProcess({ command, args: program.args(place), readyLine, crashSignal, user })
  }
  /**
   * Stops the server: without time to write anything (`crash`), or with a shutdown (`clean`). Does
   * nothing when it is not running.
   */
  const stop = async (how: 'crash' | 'clean'): Promise<void> => {
    await running?.stop(how === 'crash' ? crashSignal : cleanSignal)
    running = undefined
  }
  /** Stops the server and removes its files. */
  const remove = async (): Promise<void> => {
    await stop('crash')
    removeFolder(folder)
  }

  try {
    for (const [name, content] of Object.entries(program.files?.(place) ?? {}))
      await writeFile(join(folder, name), content)
    await program.prepare?.(place)
    await start()
  } catch (failure) {
    await remove()
    throw failure
  }
  // The URL is the same after each start. The process is another one, and `undefined` while the
  // server is stopped.
  return { url: program.url(place.port), processId: () => running?.processId, stop, start, remove }
}

/**
 * Runs a program to its end, in the folder of a server and as its user. Rejects with its stderr
 * when its exit code is not 0.
 */
export const runProgram = async (
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  { folder, user }: Pick<Place, 'folder' | 'user'>,
): Promise<void> => {
  const { child } = startGroup(command, args, { ...user, cwd: folder })
  child.stdout.resume()
  const [[code, signal], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code !== 0) throw new Error(`${command} ended with ${code ?? signal}: ${stderr}`)
}

/** A user of the machine. */
interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns the user that a database server runs as when this process is root, since database servers
 * refuse to run as root: the given user, or `nobody` if it does not exist. Returns `undefined` when
 * this process is not root.
 */
export const findServerUser = (name: string): SystemUser | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const readId = (which: '-u' | '-g', user: string): number =>
    Number(execFileSync('id', [which, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim())
  try {
    return { uid: readId('-u', name), gid: readId('-g', name) }
  } catch {
    return { uid: readId('-u', 'nobody'), gid: readId('-g', 'nobody') }
  }
}

/** Makes a user the owner of a folder. Does nothing for `undefined`. */
export const giveTo = async (user: SystemUser | undefined, folder: string): Promise<void> => {
  if (user !== undefined) await chown(folder, user.uid, user.gid)
}
