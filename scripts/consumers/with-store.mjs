import { findDatabases } from '../../internal/test-support/src/databases.ts'
import { findOwnServers } from '../../internal/test-support/src/own-servers.ts'

/**
 * Calls `use` with the environment variable of the program's database, which is empty, and then
 * removes the database. Resolves to `false` when this machine has no such database.
 */
export const withStore = async (code, use) => {
  if (code.includes('DATABASE_URL')) {
    const [, { missing, createDatabase }] = await findDatabases()
    if (missing !== undefined) return false
    const { url, drop } = await createDatabase()
    await use({ DATABASE_URL: url }).finally(drop)
  } else if (code.includes('REDIS_URL')) {
    const { missing, startFast } = findOwnServers().find(({ name }) => name === 'Redis')
    if (missing !== undefined) return false
    const { url, remove } = await startFast()
    await use({ REDIS_URL: url }).finally(remove)
  } else {
    await use({})
  }
  return true
}
