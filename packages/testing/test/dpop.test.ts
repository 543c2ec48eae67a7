import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { attackRoutes, badCredentials, createTestAuth, headersFor } from '../src/index.js'
import { users } from './support/routes.js'

describe('a service that requires keys', () => {
  const auth = createTestAuth({ users, onError: () => {}, dpop: { bind: 'all-tokens', required: true } })
  const app = express().get('/', auth.guard(), (_req, res) => void res.json({}))

  it.each([
    ['without claims', {}],
    ['with claims', { claims: { role: 'admin' } }],
  ])('accepts the headers of a signed-in user %s, whose session is bound to no key', async (_, options) => {
    await request(app)
      .get('/')
      .set(await headersFor(auth, 1, options))
      .expect(200)
  })

  it('refuses every bad credential, and a bound token without a proof', async () => {
    expect((await badCredentials(auth, 1)).map(({ name }) => name)).toContain(
      'a bound token without a proof of its key',
    )
    expect(await attackRoutes(app, { auth, userId: 1 })).toMatchObject([{ path: '/' }])
  })
})
