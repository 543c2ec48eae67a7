import { randomBytes } from 'node:crypto'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import bcrypt from 'bcrypt'
import type { Express } from 'express'
import jwt from 'jsonwebtoken'
import type { Knex } from 'knex'
import request from 'supertest'
import { onTestFinished } from 'vitest'
import { type AppOptions, createOldLoginsTable } from '../../src/old-logins.js'

/** The headers of a client that is logged in to the old application. */
export type OldHeaders = Readonly<Record<string, string>>

/** What the applications of one test share. */
export interface World {
  readonly database: Knex
  /** The file of the database, for the old library. */
  readonly file: string
  readonly oldSecret: string
}

/** A migration: an application before it and after it. */
export interface Migration<Id> {
  readonly library: string
  /** Creates a user of the old application. Resolves to the id of the user. */
  readonly createUser: (world: World, password: string) => Promise<Id>
  readonly createOldApp: (world: World) => Express
  readonly createNewApp: (options: AppOptions, world: World) => Express
  /** The name that the user logs in with. */
  readonly username: string
  readonly logInOld: (app: Express, password: string) => Promise<OldHeaders>
  /** Returns the headers of a login that is like the given one, but has expired. */
  readonly expire: (headers: OldHeaders, world: World) => Promise<OldHeaders>
  /** The headers that the exchange needs too. */
  readonly exchangeHeaders?: OldHeaders
  /** The path of the routes of jwt-auth. */
  readonly namespace?: string
  /** The table of the users, if logins replace the old hashes in it. */
  readonly rehashedTable?: string
  /** Returns the stored hash of the password of the user. */
  readonly readHash: (database: Knex) => Promise<string>
}

export const password = 'correct horse battery staple'

/** Creates the users of an application with jsonwebtoken, with the user `ann`. Resolves to the id of the user. */
export const createLogins = async (database: Knex, password: string): Promise<number> => {
  await database.schema.createTable('users', (columns) => {
    columns.increments('id')
    columns.string('login').unique()
    columns.string('password')
    columns.string('email')
  })
  await database('users').insert({ login: 'ann', email: 'ann@example.com', password: await bcrypt.hash(password, 4) })
  return 1
}

const [sqlite] = await findDatabases()

const createSecret = (): string => randomBytes(48).toString('base64url')

/** Starts the old application, logs a user in to it, and then starts the new application on the same database. */
export const startMigration = async <Id extends number | string>(
  migration: Migration<Id>,
  toSecret: (oldSecret: string) => string = createSecret,
) => {
  const { url, connect, drop } = await sqlite.createDatabase()
  onTestFinished(drop)
  const file = url.replace('sqlite:', '')
  const database = connect()
  const oldSecret = createSecret()
  const world: World = { database, file, oldSecret }

  const userId = await migration.createUser(world, password)
  const oldApp = migration.createOldApp(world)
  const headers = await migration.logInOld(oldApp, password)
  await request(oldApp).get('/reports').set(headers).expect(200, { userId })

  await knexStorage(database).migrate()
  await createOldLoginsTable(database)
  if (migration.rehashedTable !== undefined) {
    await database.schema.alterTable(migration.rehashedTable, (columns) => columns.string('credential_version', 64))
  }
  // The old libraries read the clock of the machine.
  const clock = createTestClock(Date.now())
  const { now } = clock
  const options = withSystem({ now })
  const app = migration.createNewApp({ database, oldSecret, secret: toSecret(oldSecret), now, options }, world)

  const { namespace = '/jwt-auth/v1', exchangeHeaders = {} } = migration
  return {
    world,
    userId,
    oldApp,
    /** The headers of the user, who is logged in to the old application. */
    headers,
    clock,
    app,
    getReports: (sent: OldHeaders) => request(app).get('/reports').set(sent),
    exchange: (sent = headers) => request(app).post('/exchange').set(exchangeHeaders).set(sent),
    logIn: (given: string, username = migration.username) =>
      request(app).post(`${namespace}/token`).send({ username, password: given }),
    revoke: (sent: OldHeaders) => request(app).post(`${namespace}/token/revoke`).set(sent),
    /** Refreshes the session of a login or an exchange, which may have kept the refresh token in a cookie. */
    refresh: ({ body, headers: { 'set-cookie': cookies } }: request.Response) => {
      const [Cookie] = /__Host-[^;]+/.exec(String(cookies)) ?? []
      return request(app)
        .post(`${namespace}/token/refresh`)
        .set(Cookie === undefined ? {} : { ...exchangeHeaders, Cookie })
        .send({ refresh_token: body.refresh_token })
    },
  }
}

/** Returns the headers of a client with an access token. */
export const toHeaders = (token: string): OldHeaders => ({ Authorization: `Bearer ${token}` })

/** Signs the claims of an old token again, with an `exp` that has passed. */
export const expireToken = async ({ Authorization = '' }: OldHeaders, { oldSecret }: World): Promise<OldHeaders> => {
  const claims = jwt.decode(Authorization.replace('Bearer ', ''), { json: true })
  const expired = { ...claims, exp: Math.floor(Date.now() / 1000) - 1 }
  return { Authorization: `Bearer ${jwt.sign(expired, oldSecret)}` }
}
