import { createServer } from 'node:http'
import { claimEquals, isAuthError, jwtAuth, type RequestRules } from '@jwt-auth/express'
import { initTRPC, TRPCError } from '@trpc/server'
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import express, { type Request } from 'express'
import { settings } from './settings.js'

const auth = jwtAuth(settings)
const { procedure, router } = initTRPC.context<{ req: Request }>().create()

const guarded = (rules?: RequestRules) =>
  procedure.use(async ({ ctx, next }) => {
    const caller = await auth.verifyRequest(ctx.req, rules).catch((cause: unknown) => {
      if (!isAuthError(cause) || cause.status >= 500) throw cause
      throw new TRPCError({ code: cause.status === 403 ? 'FORBIDDEN' : 'UNAUTHORIZED', message: cause.message, cause })
    })
    return next({ ctx: { caller } })
  })

const appRouter = router({
  home: procedure.query(() => 'home'),
  reports: guarded().query(({ ctx }) => ({ userId: ctx.caller.userId })),
  admin: guarded({ allow: claimEquals('role', 'admin') }).query(() => ({ role: 'admin' })),
})

const app = express()
app.use(auth)
app.use('/trpc', createExpressMiddleware({ router: appRouter, createContext: ({ req }) => ({ req }) }))

export const server = createServer(app)
