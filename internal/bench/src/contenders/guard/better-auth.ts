import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders } from 'better-auth/node'
import { bearer } from 'better-auth/plugins'
import type { RequestHandler } from 'express'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

// Its memory adapter searches a list. With more sessions, the bench would measure the list.
const sessionCount = 100

/** Uses its own tokens: random texts that name a row, which each request looks up. */
export const contender: ServerContender = {
  title: `better-auth bearer, memory (${sessionCount} sessions)`,
  checks: 'token and session',
  open: async ({ secret }) => {
    const auth = betterAuth({
      baseURL: 'http://127.0.0.1',
      secret,
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      emailAndPassword: { enabled: true },
      plugins: [bearer()],
      telemetry: { enabled: false },
    })
    const guard: RequestHandler = async (req, res, next) => {
      const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })
      if (session === null) res.status(401).end()
      else next()
    }
    const { internalAdapter } = await auth.$context
    const { user } = await auth.api.signUpEmail({
      body: { email: 'a@example.com', name: 'A', password: 'correct horse' },
    })
    const openSession = async (): Promise<string> => (await internalAdapter.createSession(user.id)).token
    const tokens = await Promise.all(Array.from({ length: sessionCount }, openSession))
    const revokedToken = await openSession()
    await internalAdapter.deleteSession(revokedToken)
    return { listener: openExpress(guard), own: { tokens, revokedToken } }
  },
}
