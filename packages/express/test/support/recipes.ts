import type { RequestListener } from 'node:http'
import { compileFunction } from 'node:vm'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { shortenRefusalDelays } from '@jwt-auth/test-support'
import { withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import Fastify, { type FastifyInstance } from 'fastify'
import Koa from 'koa'
import { type JwtAuth, type JwtAuthOptions, jwtAuth } from '../../src/index.js'
import { createTestUsers } from './test-users.js'

/** A program of the guide that creates `auth`, and for some frameworks `app`. */
export interface Recipe {
  /** The bold words at the start of its paragraph. */
  readonly name: string
  readonly code: string
}

/** Reads the recipes for proxies that create a service. */
export const readRecipes = (guide: string): readonly Recipe[] => {
  const [, section = ''] = /## Behind a proxy.*\n([\s\S]*?)\n## /.exec(guide) ?? []
  return [...section.matchAll(/^\*\*(.+?)\*\*[^`]*?[\s\S]*?```js\n([\s\S]*?)```/gm)]
    .map(([, name = '', code = '']) => ({ name, code }))
    .filter(({ code }) => code.includes('jwtAuth('))
}

interface Started {
  readonly auth: JwtAuth
  readonly app: FastifyInstance | Koa | undefined
}

/** Runs a recipe. Returns the listener of its application, or of the middleware alone. */
export const startRecipe = async (
  { code }: Recipe,
  { rateLimits }: Pick<JwtAuthOptions, 'rateLimits'>,
): Promise<RequestListener> => {
  const options: JwtAuthOptions = {
    secret: testSecret,
    issuer: 'https://api.example.com',
    users: createTestUsers(),
    storage: memoryStorage({ quiet: true }),
    rateLimits,
    ...withSystem({ startTimer: shortenRefusalDelays }),
  }
  const run = compileFunction(`${code}\nreturn { auth, app: typeof app === 'undefined' ? undefined : app }`, [
    'jwtAuth',
    'options',
    'Fastify',
    'Koa',
  ])
  const { auth, app }: Started = Reflect.apply(run, undefined, [jwtAuth, options, Fastify, Koa])
  if (app === undefined) return (req, res) => auth(req, res)
  if (app instanceof Koa) return app.callback()
  await app.ready()
  return app.routing
}
