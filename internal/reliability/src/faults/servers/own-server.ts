import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, type ServerProcess, startServerProcess } from '@jwt-auth/test-support'
import { giveTo, type SystemUser } from './system-user.js'

/** A database server of one test, which may stop and restart it. */
export interface OwnServer {
  /** The URL of an empty database, in the form of `DATABASE_URL`. The same after each start. */
  readonly url: string
  /**
   * Stops the server: without time to write anything (`crash`), or with a shutdown (`clean`). Does nothing when it is not
   * running.
   */
  readonly stop: (how: 'crash' | 'clean') => Promise<void>
  /** Restarts the server on the same files. Resolves when it accepts connections. */
  readonly start: () => Promise<void>
  /** Stops the server and removes its files. */
  readonly remove: () => Promise<void>
}

/** The folder, port and user of a server. */
export interface Place {
  readonly folder: string
  readonly port: number
  readonly user: SystemUser | undefined
}

/** How to start a kind of server. */
export interface ServerProgram {
  readonly command: string
  /** Creates the files of an empty server. */
  readonly prepare: (place: Place) => Promise<void>
  readonly args: (place: Place) => readonly string[]
  readonly readyLine: string
  /** The signal that ends all its processes immediately, without writing anything. */
  readonly crashSignal: NodeJS.Signals
  /** The signal that shuts it down without waiting for its clients. */
  readonly cleanSignal: NodeJS.Signals
  readonly url: (port: number) => string
}

/** Starts a server on a free port, with its files in a temporary folder. */
export const startOwnServer = async (program: ServerProgram, user: SystemUser | undefined): Promise<OwnServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-server-'))
  await giveTo(user, folder)
  const place: Place = { folder, port: await findFreePort(), user }
  const { command, readyLine, crashSignal } = program
  let running: ServerProcess | undefined

  const start = async (): Promise<void> => {
    running ??= await startServerProcess({ command, args: program.args(place), readyLine, crashSignal, user })
  }
  const stop = async (how: 'crash' | 'clean'): Promise<void> => {
    await running?.stop(how === 'crash' ? program.crashSignal : program.cleanSignal)
    running = undefined
  }
  const remove = async (): Promise<void> => {
    await stop('crash')
    await rm(folder, { recursive: true, force: true })
  }

  try {
    await program.prepare(place)
    await start()
  } catch (failure) {
    await remove()
    throw failure
  }
  return { url: program.url(place.port), stop, start, remove }
}
