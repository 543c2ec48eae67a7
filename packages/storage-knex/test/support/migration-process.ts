import { createUsersTable, knexStorage } from '@jwt-auth/storage-knex'
import { connectTo } from '@jwt-auth/test-support'

const [, , url = ''] = process.argv
const knex = connectTo(url)

await knexStorage(knex).migrate()
await createUsersTable(knex)
await knex.destroy()
