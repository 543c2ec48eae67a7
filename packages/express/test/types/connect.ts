// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import connect from 'connect'
import { auth } from './service.js'

/** The caller and the request of Connect, without a cast. */
export const checkConnect = (): void => {
  const app = connect()
  app.use(auth)
  app.use('/reports', auth.guard({ allow: ({ claims }, req) => req.originalUrl === claims.role }))
  app.use('/reports', (req, res) => {
    res.end(auth.getAuth(req).userId.toFixed())
  })
}
