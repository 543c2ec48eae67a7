import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, type ServerProcess, startServerProcess } from '@jwt-auth/test-support'
import { giveTo, type SystemUser } from './system-user.js'

/** A database server that belongs to one test and may be taken away under its load. */
export interface OwnServer {
  /** With an empty database, as a host would write it into `DATABASE_URL`. The same after each start. */
  readonly url: string
  /** `crash` leaves it no time to write anything; `clean` asks it to leave. Nothing happens when it is not running. */
  readonly stop: (how: 'crash' | 'clean') => Promise<void>
  /** Starts it again over the same files; settles when it takes connections. */
  readonly start: () => Promise<void>
  /** Ends it and removes its files. */
  readonly remove: () => Promise<void>
}

/** Where a server lives. */
export interface Place {
  readonly folder: string
  readonly port: number
  readonly user: SystemUser | undefined
}

/** What is to be known of a kind of server in order to start it. */
export interface ServerProgram {
  readonly command: string
  /** Writes the files of an empty server. */
  readonly prepare: (place: Place) => Promise<void>
  readonly args: (place: Place) => readonly string[]
  readonly readyLine: string
  /** Ends it and all its processes at once, with nothing written on the way. */
  readonly crashSignal: NodeJS.Signals
  /** Asks it to leave without waiting for its clients. */
  readonly cleanSignal: NodeJS.Signals
  readonly url: (port: number) => string
}

/** Starts a server of one's own on a free port, with its files in a temporary folder. */
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
