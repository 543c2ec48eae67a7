import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JwtAuth } from '@jwt-auth/express'
import { bundlePrograms, findFreePort, startServerProcess } from '@jwt-auth/test-support'
import { attackRoutes, expectRoutesGuarded } from '@jwt-auth/testing'
import express, { type Express } from 'express'
import request from 'supertest'
import { describe, expect, it, vi } from 'vitest'

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')
// Node prints the line of an error, which is the whole program when packages are bundled too.
const programs = await bundlePrograms({
  folder: fileURLToPath(new URL('..', import.meta.url)),
  entries: ['app.mts'],
  isWhole: false,
})
const args = [join(programs, 'app.mjs')]

const isService = (value: unknown): value is JwtAuth => typeof value === 'function' && 'guard' in value

describe('the quickstart', () => {
  it('is the first file of the README', async () => {
    const [, firstFile] = /```ts\n([\s\S]*?)```/.exec(await read('../../../README.md')) ?? []
    expect(firstFile).toBe(await read('../src/app.mts'))
  })

  it('logs in, serves the guarded route, refreshes, revokes, and then refuses the token', async () => {
    const port = await findFreePort()
    vi.stubEnv('JWT_AUTH_SECRET', randomBytes(48).toString('base64url'))
    vi.stubEnv('PORT', `${port}`)
    const server = await startServerProcess({ command: process.execPath, args, readyLine: 'listening on' })
    try {
      const origin = request(`http://localhost:${port}`)
      const login = await origin
        .post('/jwt-auth/v1/token')
        .send({ username: 'demo', password: 'correct horse battery staple' })
        .expect(200)
      await origin.get('/reports').auth(login.body.token, { type: 'bearer' }).expect(200, { userId: 1 })

      const refreshed = await origin
        .post('/jwt-auth/v1/token/refresh')
        .send({ refresh_token: login.body.refresh_token })
        .expect(200)
      await origin.post('/jwt-auth/v1/token/revoke').auth(refreshed.body.token, { type: 'bearer' }).expect(200)
      await origin.get('/reports').auth(login.body.token, { type: 'bearer' }).expect(401)
    } finally {
      await server.stop('SIGTERM')
    }
  })

  it('has a guard before its route, which refuses every bad credential', async () => {
    vi.stubEnv('JWT_AUTH_SECRET', randomBytes(48).toString('base64url'))
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const apps: Express[] = []
    vi.spyOn(express.application, 'listen').mockImplementation(function (this: Express) {
      apps.push(this)
      return createServer()
    })
    const use = vi.spyOn(express.application, 'use')
    await import('../src/app.mjs')
    const [[auth] = []] = use.mock.calls
    const [app] = apps
    if (!isService(auth) || app === undefined) throw new Error('The program has no app.use(auth).')

    expectRoutesGuarded(app)
    expect(await attackRoutes(app, { auth, userId: 1 })).toMatchObject([{ path: '/reports' }])
  })

  it('exits without a secret and names the missing option', () => {
    const { JWT_AUTH_SECRET: _, ...env } = process.env
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('jwt-auth: option `secret` is missing')
  })
})
