// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import { allOf, anyOf, claimEquals, claimIncludes, hasScope, type Rule } from '@jwt-auth/express'
import express, { type Request } from 'express'
import { type Account, auth } from './service.js'

/** A rule that several guards share. */
const isEditor = allOf(hasScope('documents:write'), anyOf(claimEquals('role', 'admin'), claimIncludes('teams', 'red')))

/** A rule of the application, with the types of the caller and the request. */
const isOwner: Rule<ReturnType<typeof auth.getAuth>, Request<{ id: string }>> = ({ userId }, req) =>
  userId.toFixed() === req.params.id

/** Rules compose without a cast. */
export const checkRules = (): void => {
  const app = express()
  app.get('/reports', auth.guard({ allow: hasScope('reports:read') }), (_req, res) => void res.end())
  app.get('/documents', auth.guard({ allow: isEditor, maxAuthAgeSeconds: 300 }), (_req, res) => void res.end())
  app.get('/documents/:id', auth.guard({ allow: allOf(hasScope('documents:write'), isOwner) }), (req, res) => {
    res.json(req.params.id.trim())
  })
  app.get(
    '/documents/:id',
    auth.guard({
      allow: anyOf(
        isEditor,
        ({ claims }, req: Request<{ id: string }>) => (claims.role satisfies Account['role']) === req.params.id,
      ),
    }),
    (req, res) => {
      res.json(req.params.id.trim())
    },
  )
  // @ts-expect-error: a rule is a function.
  auth.guard({ allow: allOf('admin') })
}
