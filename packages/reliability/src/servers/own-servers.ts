import { findProgram } from './find-program.js'
import { mariadbProgram } from './mariadb.js'
import { type OwnServer, type ServerProgram, startOwnServer } from './own-server.js'
import { postgresProgram } from './postgres.js'
import { redisProgram } from './redis.js'
import { findServerUser } from './system-user.js'

/** A kind of server that can be started here. */
export interface OwnServerKind {
  readonly name: 'PostgreSQL' | 'MariaDB' | 'Redis'
  /** Starts one, empty, with the settings that the promises of this library rest on. */
  readonly start: () => Promise<OwnServer>
}

interface KnownServer {
  readonly name: OwnServerKind['name']
  readonly programs: readonly [string, ...string[]]
  /** The user that Debian's package makes; `undefined` where it may run as root. */
  readonly user: string | undefined
  readonly toProgram: (command: string, ...others: readonly string[]) => ServerProgram
}

const known: readonly KnownServer[] = [
  { name: 'PostgreSQL', programs: ['postgres', 'initdb'], user: 'postgres', toProgram: postgresProgram },
  { name: 'MariaDB', programs: ['mariadbd', 'mariadb-install-db'], user: 'mysql', toProgram: mariadbProgram },
  { name: 'Redis', programs: ['redis-server'], user: undefined, toProgram: redisProgram },
]

/**
 * The kinds of servers whose programs are installed. Says in one line for each what is left out; in CI nothing may be.
 *
 * @example
 * const [postgres] = await findOwnServers()
 * const server = await postgres?.start()
 */
export const findOwnServers = async (): Promise<readonly OwnServerKind[]> =>
  (await Promise.all(known.map(findKind))).flat()

const findKind = async ({ name, programs, user, toProgram }: KnownServer): Promise<readonly OwnServerKind[]> => {
  const [command, ...others] = (await Promise.all(programs.map(findProgram))).filter((file) => file !== undefined)
  if (command === undefined || others.length < programs.length - 1) return skip(name, programs)
  const program = toProgram(command, ...others)
  return [{ name, start: () => startOwnServer(program, user === undefined ? undefined : findServerUser(user)) }]
}

const skip = (name: string, programs: readonly string[]): readonly OwnServerKind[] => {
  const message = `A ${name} that stops is not tested: ${programs.join(' and ')} are not installed.`
  if (process.env['CI'] !== undefined) throw new Error(message)
  process.stderr.write(`${message}\n`)
  return []
}
