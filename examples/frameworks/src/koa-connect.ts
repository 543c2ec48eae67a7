import { createServer } from 'node:http'
import { claimEquals, jwtAuth } from '@jwt-auth/express'
import Koa from 'koa'
import toKoa from 'koa-connect'
import { settings } from './settings.js'

const auth = jwtAuth(settings)
const guard = toKoa(auth.guard())
const adminGuard = toKoa(auth.guard({ allow: claimEquals('role', 'admin') }))

const app = new Koa()
app.use(toKoa(auth))
app.use((ctx, next) => (ctx.path === '/reports' ? guard(ctx, next) : next()))
app.use((ctx, next) => (ctx.path === '/admin' ? adminGuard(ctx, next) : next()))
app.use((ctx) => {
  if (ctx.path === '/reports') ctx.body = { userId: auth.getAuth(ctx.req).userId }
  else if (ctx.path === '/admin') ctx.body = { role: 'admin' }
  else ctx.body = 'home'
})

export const server = createServer(app.callback())
