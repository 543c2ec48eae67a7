// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import express, { type Request } from 'express4'
import { auth } from './service.js'

/** The caller and the request of Express 4, without a cast. */
export const checkExpress4 = (): void => {
  const app = express()
  app.use(auth)
  app.get(
    '/documents/:id',
    auth.guard({ allow: ({ claims }, req: Request<{ id: string }>) => req.params.id === claims.role }),
    (req, res) => {
      res.json({ id: req.params.id.trim(), by: auth.getAuth(req).userId.toFixed() })
    },
  )
  app.route('/documents/:id').get(auth.guard({ allow: (_, req) => req.params.id.trim() === 'a' }), (req, res) => {
    res.json(req.params.id.trim())
  })
}
