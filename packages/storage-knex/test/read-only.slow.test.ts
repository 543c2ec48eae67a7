import { knexStorage } from '@jwt-auth/storage-knex'
import { connectTo, findOwnServers, findPrograms, type OwnServer, standbyProgram } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it, onTestFinished } from 'vitest'

const [postgresql, mariadb] = findOwnServers()
const standbys = findPrograms('a standby of PostgreSQL', ['postgres', 'initdb', 'pg_basebackup'])
const servers = [postgresql, mariadb].flatMap((server) => server ?? [])

const keep = <Server extends OwnServer>(server: Server): Server => {
  onTestFinished(server.remove)
  return server
}
const open = (url: string) => {
  const knex = connectTo(url, { min: 0, max: 1 })
  onTestFinished(() => knex.destroy())
  return { knex, storage: knexStorage(knex) }
}
const refusal = { isReachable: true, isReady: false, error: { message: expect.stringContaining('accepts no writes') } }

describeEach(servers, 'the status on $name', ({ name, start }) => {
  it('says that a server which is set to read-only is not ready', async () => {
    const { url } = keep(await start())
    const { knex, storage } = open(url)
    await storage.migrate()
    expect(await storage.status()).toMatchObject({ isReady: true, error: undefined })
    await knex.raw(
      name === 'MariaDB' ? 'set global read_only = 1' : 'set session characteristics as transaction read only',
    )
    expect(await storage.status()).toMatchObject(refusal)
  })
})

describeEach([standbys], 'the status on $name', ({ launch }) => {
  it('says that the standby is not ready, and knows no primary', async () => {
    const primary = keep((await postgresql?.start()) ?? expect.unreachable())
    await open(primary.url).storage.migrate()
    const standby = keep(await launch((installation) => standbyProgram(installation, primary.url)))
    const status = await open(standby.url).storage.status()
    expect(status).toMatchObject({ ...refusal, schemaVersion: 1 })
    expect(status).toHaveProperty('primary', undefined)
  })
})
