import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import request from 'supertest'
import { beforeAll, describe, expect, it, vi } from 'vitest'

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')

describe('the quickstart', () => {
  beforeAll(() => {
    vi.stubEnv('JWT_AUTH_SECRET', randomBytes(48).toString('base64url'))
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  })

  it('stands in the README to the letter', async () => {
    expect(await read('../../../README.md')).toContain(`\`\`\`ts\n${await read('../src/app.ts')}\`\`\`\n`)
  })

  it('logs in, serves the guarded route, refreshes, revokes, and serves it no more', async () => {
    const { app } = await import('../src/app.js')
    const login = await request(app)
      .post('/jwt-auth/v1/token')
      .send({ username: 'jane', password: 'correct horse battery staple' })
      .expect(200)
    await request(app).get('/reports').auth(login.body.token, { type: 'bearer' }).expect(200, { for: 1 })

    const refreshed = await request(app)
      .post('/jwt-auth/v1/token/refresh')
      .send({ refresh_token: login.body.refresh_token })
      .expect(200)
    await request(app).post('/jwt-auth/v1/token/revoke').auth(refreshed.body.token, { type: 'bearer' }).expect(200)
    await request(app).get('/reports').auth(login.body.token, { type: 'bearer' }).expect(401)
  })

  it('refuses to start without a secret, and says which option is missing', async () => {
    vi.resetModules()
    vi.stubEnv('JWT_AUTH_SECRET', undefined)
    await expect(import('../src/app.js')).rejects.toThrow(
      'jwt-auth: option `secret` must be a string, bytes, or a secret KeyObject; received nothing.',
    )
  })
})
