import { createHash, randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { hashPassword, jwtAuth } from '@jwt-auth/express'
import { createUsersTable, knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import { findDatabases } from '@jwt-auth/test-support'
import { hashCheaply } from '@jwt-auth/test-support/cheap-hashes'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import express from 'express'
import knex from 'knex'
import { createTransport, type SendMailOptions } from 'nodemailer'
import request from 'supertest'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAccountEmails, usualColumns } from '../src/app.js'
import { createLinksTable } from '../src/email-links.js'

const password = 'correct horse battery staple'
const newPassword = 'another long passphrase'
const passwordHash = await hashPassword(password, { cost: 4 })

beforeAll(hashCheaply)

/** Starts an application with the users ann (confirmed), ben (not confirmed) and cat (confirmed, disabled). */
const start = async (
  sendMail: () => Promise<void> = async () => {},
  { table = 'users', columns = usualColumns } = {},
) => {
  const database = knex(sqliteConfig(':memory:'))
  onTestFinished(() => database.destroy())
  await createUsersTable(database, {
    addColumns: (columns) => columns.boolean('email_confirmed').notNullable().defaultTo(false),
  })
  for (const [username, email_confirmed, disabled] of [
    ['ann', true, false],
    ['ben', false, false],
    ['cat', true, true],
  ] as const) {
    const row = { username, email: `${username}@example.com`, email_confirmed, disabled }
    await database('users').insert({ ...row, password_hash: passwordHash, credential_version: randomUUID() })
  }
  const names = new Map(Object.entries(columns))
  for (const [member, usual] of Object.entries(usualColumns)) {
    const name = names.get(member) ?? usual
    if (name !== usual) await database.raw('alter table users rename column ?? to ??', [usual, name])
  }
  if (table !== 'users') await database.schema.renameTable('users', table)
  await createLinksTable(database)
  const { emailConfirmed: _, ...loginColumns } = columns
  const storage = knexStorage(database)
  await storage.migrate()

  const clock = createTestClock()
  const auth = jwtAuth({
    secret: testSecret,
    issuer: 'https://api.example.com',
    users: knexUsers(database, { table, columns: loginColumns }),
    storage,
    callTimeoutMs: 60_000,
    ...withSystem({ now: clock.now }),
  })
  const mails: SendMailOptions[] = []
  const mailer = createTransport({ jsonTransport: true }, { from: 'noreply@example.com' })
  mailer.use('compile', ({ data }, done) => {
    mails.push(data)
    sendMail().then(() => done(), done)
  })
  const errors: unknown[] = []
  const { router, settled } = createAccountEmails({
    auth,
    database,
    table,
    columns,
    mailer,
    site: 'https://app.example.com',
    now: clock.now,
    onError: (error) => errors.push(error),
  })
  const app = express().use(auth, router)
  app.get('/reports', auth.guard(), (_, res) => void res.sendStatus(204))
  app.use(auth.errorHandler())

  const post = (path: string, body: object = {}) => request(app).post(path).send(body)
  const askForReset = (email: unknown) => post('/password-reset/request', { email })
  const logIn = (given: string, username = 'ann') => post('/jwt-auth/v1/token', { username, password: given })
  const askForConfirmation = (token: string) => post('/email-confirmation/request').auth(token, { type: 'bearer' })
  /** Returns the token in the last e-mail. */
  const readToken = async (): Promise<string> => {
    await settled()
    return String(mails.at(-1)?.text).match(/#(\S+)/)?.[1] ?? ''
  }
  return {
    database,
    auth,
    clock,
    mails,
    errors,
    settled,
    post,
    askForReset,
    logIn,
    /** Asks for a sign-up. Resolves to the token in the e-mail. */
    signUp: async (email: string): Promise<string> => {
      const response = await post('/sign-up/request', { email })
      expect(response).toMatchObject({ status: 202, text: (await askForReset('nobody@example.com')).text })
      return readToken()
    },
    askForConfirmation,
    readToken,
    resetPassword: (token: string, given = newPassword) => post('/password-reset', { token, password: given }),
    getReports: (token: string) => request(app).get('/reports').auth(token, { type: 'bearer' }),
    receiveToken: async (): Promise<string> => {
      await askForReset('ann@example.com').expect(202)
      return readToken()
    },
    /** Logs ben in and asks for the confirmation of his address. */
    receiveConfirmation: async (): Promise<string> => {
      const { body } = await logIn(password, 'ben').expect(200)
      await askForConfirmation(body.token).expect(202)
      return readToken()
    },
  }
}

describe('a link for a new password', () => {
  it('sets the password once, and ends all sessions of the user', async () => {
    const { receiveToken, resetPassword, logIn, getReports, post } = await start()
    const { body } = await logIn(password).expect(200)
    const token = await receiveToken()

    await resetPassword(token).expect(204)
    await getReports(body.token).expect(401)
    await post('/jwt-auth/v1/token/refresh', { refresh_token: body.refresh_token }).expect(403)
    await logIn(password).expect(403)
    await logIn(newPassword).expect(200)
    await resetPassword(token, 'a third long passphrase').expect(400)
    await logIn(newPassword).expect(200)
  })

  it('sets one of two passwords that arrive concurrently', async () => {
    const { receiveToken, resetPassword } = await start()
    const token = await receiveToken()
    const responses = await Promise.all([resetPassword(token), resetPassword(token, 'a third long passphrase')])
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400])
  })

  it('expires after half an hour', async () => {
    const { clock, receiveToken, resetPassword } = await start()
    const token = await receiveToken()
    clock.advanceMs(30 * 60_000 - 1)
    await resetPassword(token, 'too short').expect(422)
    clock.advanceMs(1)
    await resetPassword(token).expect(400)
  })

  it('stays valid when the new password is refused', async () => {
    const { receiveToken, resetPassword } = await start()
    const token = await receiveToken()
    for (const given of ['too short', 'x'.repeat(257)]) await resetPassword(token, given).expect(422)
    await resetPassword(token).expect(204)
  })

  it.each([
    ['the password', { credential_version: 'another' }],
    ['the e-mail address', { email: 'ann@example.org' }],
  ])('is void when the user has changed %s', async (_, change) => {
    const { database, receiveToken, resetPassword } = await start()
    const token = await receiveToken()
    await database('users').where({ username: 'ann' }).update(change)
    await resetPassword(token).expect(400)
  })

  it('is stored as a digest only', async () => {
    const { database, receiveToken } = await start()
    const token = await receiveToken()
    const rows = await database('email_links')
    expect(rows).toMatchObject([{ token_hash: createHash('sha256').update(token).digest('hex') }])
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it('leads to the site of the options, in a fragment, and is sent to the stored address', async () => {
    const { mails, readToken, askForReset } = await start()
    await askForReset('ann@example.com').set('Host', 'attacker.example').expect(202)
    expect(await readToken()).toMatch(/^[\w-]{43}$/)
    expect(mails).toMatchObject([{ to: [{ address: 'ann@example.com' }] }])
    expect(mails[0]?.text).toContain('https://app.example.com/password-reset#')
  })

  it('is deleted with the next request when it has expired', async () => {
    const { clock, database, receiveToken } = await start()
    await receiveToken()
    clock.advanceMs(30 * 60_000)
    await receiveToken()
    expect(await database('email_links')).toHaveLength(1)
  })
})

describe('the response to a request for a new password', () => {
  const addresses = ['ann@example.com', 'ben@example.com', 'cat@example.com', 'nobody@example.com', 7]

  it('is the same for every address, and only confirmed addresses of active users receive a link', async () => {
    const { mails, askForReset, settled } = await start()
    const responses = []
    for (const address of addresses) responses.push(await askForReset(address))
    await settled()
    const seen = responses.map(({ status, text }) => [status, text])
    expect(new Set(seen.map(String)).size).toBe(1)
    expect(seen[0]?.[0]).toBe(202)
    expect(mails.flatMap(({ to }) => to)).toEqual([{ name: '', address: 'ann@example.com' }])
  })

  it('does not wait until the e-mail is sent', async () => {
    const mail = new EventEmitter()
    const isFinished = once(mail, 'finish').then(() => {})
    const { askForReset, settled } = await start(() => isFinished)
    await askForReset('ann@example.com').expect(202)
    mail.emit('finish')
    await settled()
  })

  it('is the same when the user cannot be looked up, which is reported', async () => {
    const { database, askForReset, errors, settled } = await start()
    await database.schema.dropTable('users')
    await askForReset('ann@example.com').expect(202)
    await settled()
    expect(errors.map(String)).toEqual([expect.stringContaining('users')])
  })

  it('is the same when the e-mail cannot be sent, which is reported', async () => {
    const { askForReset, errors, settled } = await start(() => Promise.reject(new Error('no connection')))
    await askForReset('ann@example.com').expect(202)
    await settled()
    expect(errors.map(String)).toEqual(['Error: no connection'])
  })

  it.each(['ann@example.com', 'nobody@example.com'])('is 429 after three requests for %s', async (address) => {
    const { mails, askForReset, settled } = await start()
    for (let count = 0; count < 3; count += 1) await askForReset(address).expect(202)
    await askForReset(address.toUpperCase()).expect(429)
    await settled()
    expect(mails).toHaveLength(address === 'ann@example.com' ? 3 : 0)
  })

  it('is the same for another spelling that the database takes for the address, which receives no link', async () => {
    const { database, mails, askForReset, settled } = await start()
    await database.raw('alter table users rename column email to exact_email')
    await database.raw('alter table users add column email text collate nocase')
    await database('users').update({ email: 'ANN@example.com' })
    await askForReset('ann@example.com').expect(202)
    await settled()
    expect(mails).toEqual([])
  })

  it('is 429 after twenty requests of one network', async () => {
    const { askForReset } = await start()
    for (let count = 0; count < 20; count += 1) await askForReset(`${count}@example.com`).expect(202)
    await askForReset('ann@example.com').expect(429)
  })
})

describe('the limits of e-mails', () => {
  it('count by the address that receives them, for all its accounts and both purposes', async () => {
    const { database, auth, mails, askForConfirmation, askForReset, settled } = await start()
    for (const username of ['dan', 'eve', 'fay']) {
      const row = { username, email: username === 'fay' ? 'ANN@example.com' : 'ann@example.com' }
      const [id = 0] = await database('users').insert({ ...row, credential_version: randomUUID() })
      const { accessToken } = await auth.sessions.create(id)
      await askForConfirmation(accessToken)
    }
    await askForReset('ann@example.com').expect(429)
    await settled()
    expect(mails).toHaveLength(3)
  })

  it('add no row for an address when the network is beyond its limit', async () => {
    const { database, askForReset } = await start()
    for (let count = 0; count < 30; count += 1) await askForReset(`${count}@example.com`)
    expect(await database('jwt_auth_sessions_limits')).toHaveLength(1 + 20)
  })
})

describeEach(await findDatabases(), 'createLinksTable on $name', ({ createDatabase }) => {
  it('creates the table once when several processes start', async () => {
    const fresh = await createDatabase()
    onTestFinished(fresh.drop)
    const databases = [fresh.connect(), fresh.connect(), fresh.connect(), fresh.connect()]
    // Opens the connections first.
    await Promise.all(databases.map((each) => each.raw('select 1')))
    await Promise.all(databases.map(createLinksTable))
    expect(await databases[0]?.('email_links')).toEqual([])
  })
})

describe('a sign-up with an address', () => {
  it('creates the user when the link is opened, who can log in and set a forgotten password', async () => {
    const { signUp, askForReset, readToken, post, logIn, resetPassword } = await start()
    const token = await signUp(' Dan@Example.com')
    await logIn(password, 'dan@example.com').expect(403)
    await post('/sign-up', { token, password }).expect(204)
    await logIn(password, 'Dan@example.com').expect(200)
    await post('/sign-up', { token, password: newPassword }).expect(400)
    await askForReset('dan@example.com').expect(202)
    await resetPassword(await readToken()).expect(204)
    await logIn(newPassword, 'dan@example.com').expect(200)
  })

  it('creates one user from two links that are opened concurrently', async () => {
    const { database, signUp, post } = await start()
    const tokens = [await signUp('dan@example.com'), await signUp('dan@example.com')]
    const responses = await Promise.all(tokens.map((token) => post('/sign-up', { token, password })))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 400])
    expect(await database('users').where({ username: 'dan@example.com' })).toHaveLength(1)
  })

  it('responds alike when the address has an account, and its link sets the password of this account', async () => {
    const { database, signUp, post, logIn, getReports } = await start()
    const { body } = await logIn(password).expect(200)
    const token = await signUp('ann@example.com')
    expect(await database('users')).toHaveLength(3)
    await post('/sign-up', { token, password: newPassword }).expect(204)
    expect(await database('users')).toHaveLength(3)
    await getReports(body.token).expect(401)
    await logIn(newPassword).expect(200)
  })

  it('changes no user whose name is the address and who has not confirmed it', async () => {
    const { database, signUp, post, logIn } = await start()
    await database('users').where({ username: 'ben' }).update({ username: 'ben@example.com' })
    const token = await signUp('ben@example.com')
    await post('/sign-up', { token, password: newPassword }).expect(400)
    await logIn(password, 'ben@example.com').expect(200)
  })

  it('sends no e-mail to a text that is no address', async () => {
    const { mails, post, settled } = await start()
    for (const email of [undefined, '', 'dan', 'dan@example.com, eve@example.com', 7]) {
      await post('/sign-up/request', { email })
    }
    await settled()
    expect(mails).toEqual([])
  })

  it('uses the names of the table and of the columns', async () => {
    const columns = {
      ...{ id: 'key', username: 'login', email: 'mail', passwordHash: 'hash' },
      ...{ credentialVersion: 'version', emailConfirmed: 'is_confirmed', disabled: 'is_banned' },
    }
    const { signUp, receiveToken, receiveConfirmation, post, logIn, resetPassword } = await start(undefined, {
      table: 'members',
      columns,
    })
    await post('/sign-up', { token: await signUp('dan@example.com'), password }).expect(204)
    await logIn(password, 'dan@example.com').expect(200)
    await resetPassword(await receiveToken()).expect(204)
    await logIn(newPassword).expect(200)
    await post('/email-confirmation', { token: await receiveConfirmation() }).expect(204)
  })
})

describe('a link for the confirmation of an address', () => {
  it('confirms the address once, so that the user can set a forgotten password', async () => {
    const { post, receiveConfirmation, askForReset, settled, mails } = await start()
    const token = await receiveConfirmation()
    await post('/email-confirmation', { token }).expect(204)
    await post('/email-confirmation', { token }).expect(400)
    await askForReset('ben@example.com').expect(202)
    await settled()
    expect(mails.flatMap(({ to }) => to)).toEqual(Array(2).fill({ name: '', address: 'ben@example.com' }))
  })

  it('confirms nothing when the user has another address now', async () => {
    const { database, post, receiveConfirmation } = await start()
    const token = await receiveConfirmation()
    await database('users').where({ username: 'ben' }).update({ email: 'ben@example.org' })
    await post('/email-confirmation', { token }).expect(400)
    expect(await database('users').where({ username: 'ben' }).first('email_confirmed')).toEqual({ email_confirmed: 0 })
  })

  it('expires after a day', async () => {
    const { clock, post, receiveConfirmation } = await start()
    const token = await receiveConfirmation()
    clock.advanceMs(24 * 60 * 60_000)
    await post('/email-confirmation', { token }).expect(400)
  })

  it('sets no password, and a link for a new password confirms no address', async () => {
    const { post, receiveConfirmation, receiveToken, resetPassword } = await start()
    await resetPassword(await receiveConfirmation()).expect(400)
    await post('/email-confirmation', { token: await receiveToken() }).expect(400)
  })

  it('is sent to signed-in users only, three times in an hour', async () => {
    const { askForConfirmation, logIn, mails, settled } = await start()
    await askForConfirmation('no token').expect(401)
    const { body } = await logIn(password, 'ben').expect(200)
    for (let count = 0; count < 3; count += 1) await askForConfirmation(body.token).expect(202)
    await askForConfirmation(body.token).expect(429)
    await settled()
    expect(mails).toHaveLength(3)
  })

  it('is refused with no token, with an unknown token and with a token that is no text', async () => {
    const { post } = await start()
    for (const token of [undefined, '', 'unknown', 7]) {
      await post('/email-confirmation', { token }).expect(400)
      await post('/password-reset', { token, password: newPassword }).expect(400)
    }
  })
})
