import { explainMissing, type Prerequisite } from '@jwt-auth/test-support'
import { findProgram } from './find-program.js'
import { mariadbProgram } from './mariadb.js'
import { type OwnServer, type ServerProgram, startOwnServer } from './own-server.js'
import { postgresProgram } from './postgres.js'
import { redisProgram } from './redis.js'
import { findServerUser } from './system-user.js'

/** A kind of server that tests start themselves. A server of a missing kind cannot be started. */
export interface OwnServerKind extends Prerequisite {
  readonly name: 'PostgreSQL' | 'MariaDB' | 'Redis'
  /** Starts an empty server, with the settings that docs/reliability.md requires. */
  readonly start: () => Promise<OwnServer>
}

interface KnownServer {
  readonly name: OwnServerKind['name']
  readonly programs: readonly [string, ...string[]]
  /** The user that Debian's package creates. `undefined` when the server may run as root. */
  readonly user: string | undefined
  readonly toProgram: (command: string, ...others: readonly string[]) => ServerProgram
}

const known: readonly KnownServer[] = [
  { name: 'PostgreSQL', programs: ['postgres', 'initdb'], user: 'postgres', toProgram: postgresProgram },
  { name: 'MariaDB', programs: ['mariadbd', 'mariadb-install-db'], user: 'mysql', toProgram: mariadbProgram },
  { name: 'Redis', programs: ['redis-server'], user: undefined, toProgram: redisProgram },
]

/**
 * Returns every kind of server. A kind is missing when its programs are not installed.
 *
 * @example
 * const [postgres] = await findOwnServers()
 * const server = await postgres?.start()
 */
export const findOwnServers = (): Promise<readonly OwnServerKind[]> => Promise.all(known.map(findKind))

const findKind = async ({ name, programs, user, toProgram }: KnownServer): Promise<OwnServerKind> => {
  const [command, ...others] = (await Promise.all(programs.map(findProgram))).filter((file) => file !== undefined)
  const missing = explainMissing(
    command !== undefined && others.length === programs.length - 1,
    `the tests cannot start and stop a ${name} of their own. Install what provides ${programs.join(' and ')}.`,
  )
  const start = async (): Promise<OwnServer> => {
    if (command === undefined || missing !== undefined) throw new Error(missing)
    return startOwnServer(toProgram(command, ...others), user === undefined ? undefined : findServerUser(user))
  }
  return { name, missing, start }
}
