import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms, findFreePort, type ServerProcess, startServerProcess } from '@jwt-auth/test-support'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const programs = await bundlePrograms({
  folder: fileURLToPath(new URL('..', import.meta.url)),
  sources: '.',
  entries: ['src/app.mts', 'test/support/prepare.ts'],
  isWhole: false,
})
const args = ['--import', join(programs, 'test/support/prepare.mjs'), join(programs, 'src/app.mjs')]

const ann = { username: 'ann', email: 'ann@example.com', password: 'correct horse battery staple' }

describe('the program for signing up', () => {
  let folder: string
  let server: ServerProcess
  let origin: ReturnType<typeof request>

  const signUp = (changes: object = {}) => origin.post('/sign-up').send({ ...ann, ...changes })
  const logIn = (username: string, password: string) => origin.post('/jwt-auth/v1/token').send({ username, password })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jwt-auth-sign-up-'))
    const port = await findFreePort()
    const env = { ...process.env, JWT_AUTH_SECRET: randomBytes(48).toString('base64url'), PORT: `${port}` }
    // The program creates its database in the current folder.
    server = await startServerProcess({ command: process.execPath, args, cwd: folder, env, readyLine: 'listening on' })
    origin = request(`http://localhost:${port}`)
  })
  afterAll(async () => {
    await server.stop('SIGTERM')
    await rm(folder, { recursive: true })
  })

  it('logs the new user in, who can log in with every spelling of the name afterwards', async () => {
    const { body } = await signUp({ username: ' Ann', email: ' ann@example.com' }).expect(200)
    const names = { user_email: 'ann@example.com', user_nicename: 'ann', user_display_name: 'ann' }
    expect(body).toMatchObject({ user_id: 1, ...names })
    await origin.get('/reports').auth(body.token, { type: 'bearer' }).expect(200, { userId: 1 })
    await logIn('ANN', ann.password).expect(200)
    await logIn('ann', 'another password').expect(403)
  })

  describe('a change of the password', () => {
    const changed = 'another long passphrase'
    const start = async (username: string) => {
      const { body: other } = await signUp({ username }).expect(200)
      const { body: own } = await logIn(username, ann.password).expect(200)
      const change = (password: unknown, new_password: unknown) =>
        origin.put('/password').auth(own.token, { type: 'bearer' }).send({ password, new_password })
      return { own, other, change }
    }

    it('ends all sessions, and responds with the pair of a new session', async () => {
      const { own, other, change } = await start('grace')
      const { body } = await change(ann.password, changed).expect(200)
      for (const { token, refresh_token } of [own, other]) {
        await origin.get('/reports').auth(token, { type: 'bearer' }).expect(401)
        await origin.post('/jwt-auth/v1/token/refresh').send({ refresh_token }).expect(403)
      }
      await origin.get('/reports').auth(body.token, { type: 'bearer' }).expect(200)
      await logIn('grace', ann.password).expect(403)
      await logIn('grace', changed).expect(200)
    })

    it('changes nothing with a wrong password, without one, and with a short new one', async () => {
      const { other, change } = await start('henry')
      expect((await change('wrong', changed).expect(403)).body).toMatchObject({ code: 'jwt_auth_failed' })
      expect((await change(undefined, changed).expect(403)).body).toMatchObject({ code: 'jwt_auth_failed' })
      expect((await change(ann.password, 'short').expect(422)).body).toMatchObject({ code: 'password_invalid' })
      await origin.get('/reports').auth(other.token, { type: 'bearer' }).expect(200)
      await logIn('henry', ann.password).expect(200)
    })

    it('is refused after ten of one user, also with a breached password', async () => {
      const { change } = await start('judy')
      for (let count = 0; count < 10; count += 1) await change(ann.password, 'password password').expect(422)
      const { body } = await change(ann.password, 'password password').expect(429)
      expect(body).toMatchObject({ code: 'jwt_auth_rate_limited' })
    })
  })

  it('refuses a user name that is taken, in every spelling, and keeps the password of its user', async () => {
    await signUp({ username: 'bob' }).expect(200)
    for (const username of ['bob', ' BOB']) {
      await signUp({ username, password: 'another long passphrase' }).expect(409, {
        code: 'sign_up_taken',
        message: 'This user name is taken.',
        data: { status: 409 },
      })
    }
    await logIn('bob', ann.password).expect(200)
  })

  it('creates one user when two requests for one name arrive concurrently', async () => {
    const responses = await Promise.all([signUp({ username: 'eve' }), signUp({ username: 'eve' })])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  it.each([
    ['username', 'a name with a Cyrillic letter', { username: '\u0430nn' }],
    ['username', 'no name', { username: undefined }],
    ['username', 'an empty name', { username: ' ' }],
    ['username', 'a name that is no text', { username: { $gt: '' } }],
    ['email', 'an address without @', { email: 'example.com' }],
    ['email', 'an address that is too long', { email: `${'x'.repeat(64)}@${'y'.repeat(191)}` }],
    ['password', 'a short password', { password: 'too short' }],
    ['password', 'a password with the name', { username: 'carolus', password: 'carolus the great' }],
    ['password', 'a breached password', { password: 'password password' }],
    ['password', 'a password that is no text', { password: 123_456_789_012 }],
  ])('refuses the member %s: %s', async (member, _, changes) => {
    const { body } = await signUp({ username: 'frank', ...changes }).expect(422)
    expect(body).toEqual({
      code: 'sign_up_invalid',
      message: 'Some entries are invalid.',
      data: { status: 422, faults: { [member]: expect.any(String) } },
    })
    await logIn('frank', ann.password).expect(403)
  })

  it('refuses sign-ups beyond ten from one network, and lets users log in', async () => {
    const responses: request.Response[] = []
    for (let count = 0; count < 11; count += 1) responses.push(await signUp({ username: 'bob' }))
    expect(responses.at(-1)).toMatchObject({ status: 429, body: { code: 'jwt_auth_rate_limited' } })
    // The limit comes before the request for breached passwords.
    await signUp({ username: 'bob', password: 'password password' }).expect(429)
    await logIn('bob', ann.password).expect(200)
  })

  it('refuses a request without a body', async () => {
    const { body } = await origin.post('/sign-up').expect(422)
    expect(Object.keys(body.data.faults)).toEqual(['username', 'email', 'password'])
  })
})
