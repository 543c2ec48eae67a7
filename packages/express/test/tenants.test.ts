import { readFile } from 'node:fs/promises'
import { compileFunction } from 'node:vm'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { bearer, json } from '@jwt-auth/test-support/http-client'
import { parseJson, readTextMember } from '@jwt-auth/test-support/read-json'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import express from 'express'
import { expect, it } from 'vitest'
import { type JwtAuthOptions, jwtAuth } from '../src/index.js'
import { createClient, listen } from './support/test-host.js'
import { createTestUsers, password } from './support/test-users.js'

const guide = await readFile(new URL('../../../docs/guide/operation.md', import.meta.url), 'utf8')
const [, program = ''] = /\n## Tenants.*\n[\s\S]*?```js\n([\s\S]*?)```/.exec(guide) ?? []

it('the program of the guide for tenants refuses a token of one tenant at another, among concurrent requests', async () => {
  const options: Partial<JwtAuthOptions> = {
    secret: testSecret,
    storage: { ...memoryStorage({ quiet: true }), batchLookups: true },
  }
  const app = express()
  const run = compileFunction(program, ['jwtAuth', 'Router', 'app', 'options', 'usersOf'])
  Reflect.apply(run, undefined, [jwtAuth, express.Router, app, options, createTestUsers])
  const send = createClient(await listen(app))

  const names = ['acme', 'globex']
  const at = (name: string) => ({ Host: `${name}.example.com` })
  const tokens = new Map<string, string>()
  for (const name of names) {
    const { text } = await send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }, at(name)))
    tokens.set(name, readTextMember(parseJson(text), 'token'))
  }
  const visits = names.flatMap((host) => names.map((owner) => ({ host, owner })))
  const visit = async ({ host, owner }: (typeof visits)[number]) => {
    const { headers } = bearer(tokens.get(owner) ?? '')
    const { status } = await send('GET', '/reports', { headers: { ...headers, ...at(host) } })
    return [host, owner, status]
  }
  for (const _ of ['first', 'second']) {
    expect(await Promise.all([...visits, ...visits].map(visit))).toEqual(
      [...visits, ...visits].map(({ host, owner }) => [host, owner, host === owner ? 200 : 401]),
    )
  }
})
