import { readdir, readFile } from 'node:fs/promises'
import { bearer, json } from '@jwt-auth/test-support/http-client'
import { parseJson, readTextMember } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import {
  admin,
  forbidden,
  invalid,
  logIn,
  logInFor,
  malformed,
  member,
  noHeader,
  readContract,
  startProgram,
} from './support/programs.js'

const programs = [
  'express5',
  'express4',
  'connect',
  'node-http',
  'polka',
  'fastify',
  'fastify-middie',
  'fastify-express',
  'koa-connect',
  'hono',
  'h3',
  'h3-node',
  'nest-express',
  'nest-fastify',
]

describe.each(programs)('the program %s', (program) => {
  const starting = startProgram(program)

  it('logs in, serves the guarded route, refreshes, revokes, and then rejects the token', async () => {
    const send = await starting
    const login = await logIn(send, member)
    const token = readTextMember(login, 'token')
    expect(await send('GET', '/reports', bearer(token))).toMatchObject({ status: 200, text: '{"userId":1}' })

    const refresh = json({ refresh_token: readTextMember(login, 'refresh_token') })
    const { text } = await send('POST', '/jwt-auth/v1/token/refresh', refresh)
    const newToken = readTextMember(parseJson(text), 'token')
    expect(await send('GET', '/reports', bearer(newToken))).toMatchObject({ status: 200, text: '{"userId":1}' })

    expect(await send('POST', '/jwt-auth/v1/token/revoke', bearer(newToken))).toMatchObject({ status: 200 })
    for (const old of [token, newToken]) {
      expect(readContract(await send('GET', '/reports', bearer(old)))).toEqual(invalid)
    }
  })

  it('responds with 401 to a request without a token, and with several', async () => {
    const send = await starting
    expect(readContract(await send('GET', '/reports'))).toEqual(noHeader)
    const token = await logInFor(send, member)
    const headers = { Authorization: [`Bearer ${token}`, `Bearer ${token}`] }
    expect(readContract(await send('GET', '/reports', { headers }))).toEqual(malformed)
  })

  it('serves the route with a rule to an administrator only', async () => {
    const send = await starting
    const tokens = { member: await logInFor(send, member), admin: await logInFor(send, admin) }
    expect(readContract(await send('GET', '/admin', bearer(tokens.member)))).toEqual(forbidden)
    expect(await send('GET', '/admin', bearer(tokens.admin))).toMatchObject({ status: 200, text: '{"role":"admin"}' })
  })

  it('serves its other routes without a token', async () => {
    const send = await starting
    expect(await send('GET', '/')).toMatchObject({ status: 200, text: 'home' })
  })
})

it('the page on frameworks links every program', async () => {
  const page = await readFile(new URL('../../../docs/frameworks.md', import.meta.url), 'utf8')
  const linked = [...page.matchAll(/examples\/frameworks\/src\/([\w-]+\.ts)/g)].map(([, file]) => file)
  expect([...new Set(linked)].toSorted()).toEqual((await readdir(new URL('../src/', import.meta.url))).toSorted())
})
