import { conformanceCases, type DamageSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createHeldStorages, findWrites, holdTable } from '@jwt-auth/test-support/locked-sessions'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { interruptKnex } from './support/interrupted-knex.js'

describeEach(await findDatabases(), 'knex storage on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const [knex, other, closed] = [database.connect(), database.connect(), database.connect()]
  const storage = knexStorage(knex)
  const held = createHeldStorages(
    (table) => knexStorage(knex, { table }),
    holdTable(name, name === 'SQLite' ? knex : other),
  )

  const damage: DamageSession = async (id) => {
    const find = () => knex('jwt_auth_sessions').where({ id })
    const { recent_verifiers } = await find().first()
    await find().update({ recent_verifiers: 'damaged' })
    return () => find().update({ recent_verifiers })
  }

  beforeAll(() => Promise.all([storage.migrate().then(held.migrate), closed.destroy()]))
  beforeEach(async () => {
    // A write whose signal aborted in the previous case can still take effect.
    if (name !== 'SQLite') await expect.poll(() => findWrites(name, knex)).toHaveLength(0)
    await knex('jwt_auth_sessions').delete()
  })
  afterAll(() => database.drop())

  const cases = conformanceCases({
    createStorage: () => storage,
    createFailingStorage: () => knexStorage(closed),
    createInterruptedStorages: (moment) => [knexStorage(interruptKnex(database.connect(), moment)), storage],
    createHeldStorage: held.takeHeld,
    createSharedStorages: () => [storage, knexStorage(other)],
    createDamageableStorage: () => [storage, damage],
  })
  for (const { title, run } of cases) it(title, run)
})
