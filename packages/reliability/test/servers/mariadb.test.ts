import { access, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findOwnServers } from '../../src/servers/own-servers.js'
import { findServerUser, giveTo } from '../../src/servers/system-user.js'

const [mariadb] = (await findOwnServers()).filter(({ name }) => name === 'MariaDB')

describe.runIf(mariadb !== undefined)("a test's own MariaDB", () => {
  it('deletes no temporary table of another server in the temporary folder of the system', {
    timeout: 120_000,
  }, async () => {
    const table = join(tmpdir(), `#sql-temptable-${process.pid}.MAI`)
    await writeFile(table, '')
    // Only its owner may delete a file there.
    await giveTo(findServerUser('mysql'), table)
    const server = await mariadb?.start()
    await server?.remove()
    const survives = await access(table).then(
      () => true,
      () => false,
    )
    await rm(table, { force: true })
    expect(survives).toBe(true)
  })
})
