import {
  conformanceCases,
  type DamageSession,
  damageCases,
  failureCases,
  interruptionCases,
  sharingCases,
  waitingCases,
} from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { holdSessions } from '@jwt-auth/test-support/hold-sessions'
import { afterAll, beforeAll, beforeEach, it } from 'vitest'
import { interruptKnex } from './support/interrupted-knex.js'

describeEach(await findDatabases(), 'knex storage on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const [knex, other, closed] = [database.connect(), database.connect(), database.connect()]
  const storage = knexStorage(knex)

  const damage: DamageSession = async (id) => {
    const find = () => knex('jwt_auth_sessions').where({ id })
    const { recent_verifiers } = await find().first()
    await find().update({ recent_verifiers: 'damaged' })
    return () => find().update({ recent_verifiers })
  }

  beforeAll(() => Promise.all([storage.migrate(), closed.destroy()]))
  beforeEach(() => knex('jwt_auth_sessions').delete())
  afterAll(() => database.drop())

  for (const { title, run } of conformanceCases) it(title, () => run(storage))
  for (const { title, run } of sharingCases) it(title, () => run(storage, knexStorage(other)))
  for (const { title, run } of failureCases) it(title, () => run(knexStorage(closed)))
  for (const { title, run } of waitingCases)
    it(title, () => run(storage, holdSessions(name, name === 'SQLite' ? knex : other)))
  for (const { title, run } of damageCases) it(title, () => run(storage, damage))
  for (const { title, run, moment } of interruptionCases) {
    it(title, () => run(knexStorage(interruptKnex(database.connect(), moment)), storage))
  }
})
