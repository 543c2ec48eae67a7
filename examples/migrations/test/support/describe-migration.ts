import { hashCheaply } from '@jwt-auth/test-support/cheap-hashes'
import jwt from 'jsonwebtoken'
import request from 'supertest'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Migration, type OldHeaders, password, startMigration, toHeaders } from './start-migration.js'

/** What every migration promises to a user who is logged in with the old library. */
export const describeMigration = <Id extends number | string>(migration: Migration<Id>): void => {
  const { library, rehashedTable } = migration
  beforeAll(hashCheaply)

  describe(`a user who is logged in with ${library}`, () => {
    it(`calls the new routes with the old login of ${library}`, async () => {
      const { getReports, headers, userId } = await startMigration(migration)
      await getReports(headers).expect(200, { userId })
    })

    it(`receives a session for the old login of ${library}`, async () => {
      const { exchange, getReports, userId } = await startMigration(migration)
      const { body } = await exchange().expect(200)
      expect(body.user_id).toBe(userId)
      await getReports(toHeaders(body.token)).expect(200, { userId })
    })

    it(`has logged in when ${library} says, and not at the exchange`, async () => {
      const { clock, exchange } = await startMigration(migration)
      const loggedInBefore = clock.now() / 1000
      clock.advanceMs(600_000)
      const { body } = await exchange().expect(200)
      const { auth_time, iat } = Object(jwt.decode(body.token))
      expect(auth_time).toBeLessThanOrEqual(loggedInBefore)
      expect(auth_time).toBeGreaterThan(iat - 660)
    })

    it(`can use the old login of ${library} for a minute after the exchange`, async () => {
      const { clock, exchange, getReports, headers } = await startMigration(migration)
      const { body } = await exchange().expect(200)
      clock.advanceMs(59_999)
      await getReports(headers).expect(200)
      await exchange().expect(200)
      clock.advanceMs(1)
      await getReports(headers).expect(401)
      await exchange().expect(401)
      await getReports(toHeaders(body.token)).expect(200)
    })

    it(`is refused with an old login of ${library} that has expired`, async () => {
      const { exchange, getReports, headers, world } = await startMigration(migration)
      const expired = await migration.expire(headers, world)
      await getReports(expired).expect(401)
      await exchange(expired).expect(401)
    })

    it(`is refused with a changed login of ${library}, and without a login`, async () => {
      const { exchange, getReports, headers } = await startMigration(migration)
      for (const sent of [changeText(headers), {}]) {
        await getReports(sent).expect(401)
        await exchange(sent).expect(401)
      }
    })

    it(`can log out everywhere, which ends old logins of ${library} too`, async () => {
      const { app, exchange, getReports, headers } = await startMigration(migration)
      const { body } = await exchange().expect(200)
      await request(app).post('/log-out-everywhere').set(toHeaders(body.token)).expect(204)
      await getReports(toHeaders(body.token)).expect(401)
      await getReports(headers).expect(401)
      await exchange().expect(401)
    })

    it(`keeps the password of ${library}, and all sessions when a login replaces its hash`, async () => {
      const { world, exchange, logIn, refresh } = await startMigration(migration)
      const exchanged = await exchange().expect(200)
      const oldHash = await migration.readHash(world.database)
      await logIn('another password').expect(403)
      await logIn(password).expect(200)
      const isReplaced = (await migration.readHash(world.database)) !== oldHash
      expect(isReplaced).toBe(rehashedTable !== undefined)
      await logIn(password).expect(200)
      await refresh(exchanged).expect(200)
    })

    it(`cannot use a revoked session where the secret is that of ${library}`, async () => {
      const { exchange, getReports, refresh, revoke } = await startMigration(migration, (oldSecret) => oldSecret)
      const exchanged = await exchange().expect(200)
      const sent = toHeaders(exchanged.body.token)
      await revoke(sent).expect(200)
      await getReports(sent).expect(401)
      await exchange(sent).expect(401)
      await refresh(exchanged).expect(403)
    })
  })
}

/** Changes one character in the middle of each header. */
const changeText = (headers: OldHeaders): OldHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const middle = Math.floor(value.length / 2)
      return [name, `${value.slice(0, middle)}${value.charAt(middle) === 'a' ? 'b' : 'a'}${value.slice(middle + 1)}`]
    }),
  )
