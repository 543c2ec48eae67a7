import { type AuthError, hashPassword, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import express from 'express'
import knex from 'knex'
import { pino } from 'pino'
import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { auditTo, createAuditTable, logTo } from '../src/audit-log.js'

const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password, { cost: 4 })
const ann = { id: 1, username: 'ann', email: 'ann@example.com', passwordHash }

/** Starts an application that logs and audits the events of a user's login, refresh and logout, and of two refused requests. */
const runApplication = async (isTableCreated = true) => {
  const database = knex(sqliteConfig(':memory:'))
  onTestFinished(() => database.destroy())
  if (isTableCreated) await createAuditTable(database)
  const lines: string[] = []
  const errors: AuthError[] = []
  const inserts: Promise<void>[] = []
  const log = logTo(pino({ level: 'debug' }, { write: (line) => void lines.push(line) }))
  const audit = auditTo(database)
  const auth = jwtAuth({
    secret: testSecret,
    issuer: 'https://api.example.com',
    storage: memoryStorage({ quiet: true }),
    users: passwordUsers({ cost: 4, findByUsername: async () => ann, findById: async () => ann }),
    onEvent: (event) => {
      log(event)
      const insert = audit(event)
      inserts.push(insert)
      return insert
    },
    onError: (error) => void errors.push(error),
  })
  const app = express().use(auth).get('/reports', auth.guard())
  const post = (path: string, body: object = {}) => request(app).post(`/jwt-auth/v1${path}`).send(body)

  await post('/token', { username: 'ann', password: 'wrong password' }).expect(403)
  const { body } = await post('/token', { username: 'ann', password }).expect(200)
  const { body: refreshed } = await post('/token/refresh', { refresh_token: body.refresh_token }).expect(200)
  await post('/token/revoke').auth(refreshed.token, { type: 'bearer' }).expect(200)
  await request(app).get('/reports').auth(refreshed.token, { type: 'bearer' }).expect(401)
  await Promise.allSettled(inserts)
  return { database, lines, errors, secrets: [body.token, body.refresh_token, password, passwordHash] }
}

describe("the audit log of a user's day", () => {
  it('has every event in the log of pino, with its level', async () => {
    const { lines } = await runApplication()
    expect(lines.map((line) => JSON.parse(line)).map(({ level, msg, userId }) => [level, msg, userId])).toEqual([
      [30, 'login_failed', 1],
      [30, 'session_created', 1],
      [30, 'login_succeeded', 1],
      [20, 'session_refreshed', 1],
      [30, 'session_ended', 1],
      [20, 'request_rejected', 1],
    ])
  })

  it('has the events in the audit table that not everybody can cause at will', async () => {
    const { database } = await runApplication()
    const rows = await database('auth_audit').orderBy('id')
    expect(rows.map(({ type, user_id, event }) => [type, user_id, JSON.parse(event).type])).toEqual(
      ['login_failed', 'session_created', 'login_succeeded', 'session_ended'].map((type) => [type, '1', type]),
    )
  })

  it('contains no password, no token and no user name', async () => {
    const { database, lines, secrets } = await runApplication()
    const text = [...lines, JSON.stringify(await database('auth_audit'))].join('\n')
    for (const secret of [...secrets, '"ann"']) expect(text).not.toContain(secret)
  })

  it('goes on without the audit table, and reports every insert that failed', async () => {
    const { errors, lines } = await runApplication(false)
    expect(errors.map(({ cause }) => String(cause))).toEqual(Array(4).fill(expect.stringContaining('auth_audit')))
    expect(lines).toHaveLength(6)
  })
})
