import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type OwnServer, type ServerProgram, startOwnServer } from './own-server.js'
import { explainMissing, type Prerequisite } from './prerequisite.js'
import { type Installation, mariadbProgram, postgresProgram, redisProgram } from './server-programs.js'

/** A kind of server that tests start themselves. A server of a missing kind cannot be started. */
export interface OwnServerKind extends Prerequisite {
  readonly name: 'PostgreSQL' | 'MariaDB' | 'Redis'
  /** Starts an empty server, with the settings that docs/reliability.md requires. */
  readonly start: () => Promise<OwnServer>
  /** Starts an empty server that may lose writes in a crash, and is faster. */
  readonly startFast: () => Promise<OwnServer>
}

type ToProgram = (installation: Installation) => ServerProgram

const known = [
  ['PostgreSQL', ['postgres', 'initdb'], postgresProgram],
  ['MariaDB', ['mariadbd', 'mariadb-install-db'], mariadbProgram],
  ['Redis', ['redis-server'], redisProgram],
] as const

/**
 * Returns every kind of server. A kind is missing when its programs are not installed.
 *
 * @example
 * const [postgres] = findOwnServers()
 * const server = await postgres?.start()
 */
export const findOwnServers = (): readonly OwnServerKind[] =>
  known.map(([name, programs, toProgram]) => {
    const { missing, launch } = findPrograms(name, programs)
    return { name, missing, start: () => launch(toProgram), startFast: () => launch(toProgram, { isDurable: false }) }
  })

/** The programs of a kind of server. A server with missing programs cannot be launched. */
export interface ServerPrograms extends Prerequisite {
  /** Starts a server, by default with the settings that docs/reliability.md requires. */
  readonly launch: (toProgram: ToProgram, settings?: Pick<Installation, 'isDurable'>) => Promise<OwnServer>
}

/** Finds the installed programs of a kind of server. */
export const findPrograms = (name: string, programs: readonly string[]): ServerPrograms => {
  const missing = explainMissing(
    programs.every((program) => findProgram(program) !== undefined),
    `the tests cannot start and stop a ${name} of their own. Install what provides ${programs.join(' and ')}.`,
  )
  return {
    name,
    missing,
    launch: async (toProgram, { isDurable } = { isDurable: true }) => {
      if (missing !== undefined) throw new Error(missing)
      return startOwnServer(
        toProgram({ find: (program) => findProgram(program) ?? program, prefix: '/usr', isDurable }),
      )
    },
  }
}

const debianPostgres = '/usr/lib/postgresql'

/**
 * Returns the file of an installed program, `undefined` when none exists. Searches `PATH` and
 * Debian's folders of servers.
 */
export const findProgram = (...names: readonly string[]): string | undefined => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...listPostgresFolders()]
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable)
}

/** Returns whether a file can be executed. */
export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Newest version first. */
const listPostgresFolders = (): readonly string[] => {
  try {
    const versions = readdirSync(debianPostgres).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(debianPostgres, version, 'bin'))
  } catch {
    return []
  }
}
