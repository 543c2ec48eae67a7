import { findDatabases, findRedis } from './databases.js'

/** Returns a line for each database server that a command has to do without, for its output. */
export const describeMissing = async (): Promise<readonly string[]> => {
  const servers = [...(await findDatabases()), await findRedis()]
  return servers.flatMap(({ name, missing }) => (missing === undefined ? [] : [`${name} is skipped: ${missing}`]))
}
