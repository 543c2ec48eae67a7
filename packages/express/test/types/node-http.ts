// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import { createServer } from 'node:http'
import { auth } from './service.js'

/** The caller of a bare server, without a cast. */
export const checkNodeHttp = (): void => {
  const guard = auth.guard({ allow: ({ claims }, req) => req.url === claims.role })
  createServer((req, res) => {
    auth(req, res, () => {
      guard(req, res, () => {
        res.end(auth.getAuth(req).userId.toFixed())
      })
    })
  })
}
