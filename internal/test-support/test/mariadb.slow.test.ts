import { access, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeEach } from '../src/describe-each.js'
import { findServerUser, giveTo } from '../src/own-server.js'
import { findOwnServers } from '../src/own-servers.js'

const servers = findOwnServers().filter(({ name }) => name === 'MariaDB')

describeEach(servers, 'a $name that a test starts', ({ start }) => {
  it('deletes no temporary table of another server in the temporary folder of the system', async () => {
    const table = join(tmpdir(), `#sql-temptable-${process.pid}.MAI`)
    await writeFile(table, '')
    // Only the owner of a file may delete it there.
    await giveTo(findServerUser('mysql'), table)
    const server = await start()
    await server.remove()
    const survives = await access(table).then(
      () => true,
      () => false,
    )
    await rm(table, { force: true })
    expect(survives).toBe(true)
  })
})
