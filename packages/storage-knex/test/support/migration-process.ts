import { createUsersTable, knexStorage, withMigrationLock } from '@jwt-auth/storage-knex'
import { connectTo } from '@jwt-auth/test-support'

const [, , url = ''] = process.argv
const knex = connectTo(url)

const visit = (): Promise<string> =>
  withMigrationLock(knex, 'site', async (transaction) => {
    const [before] = await transaction('visits').pluck('at_work')
    await transaction('visits').update({ at_work: before + 1 })
    await new Promise(setImmediate)
    const [during] = await transaction('visits').pluck('at_work')
    await transaction('visits').update({ at_work: 0 })
    return before === 0 && during === 1 ? 'alone' : 'not alone'
  })

await knexStorage(knex).migrate()
await createUsersTable(knex)
process.stdout.write(await visit())
await knex.destroy()
