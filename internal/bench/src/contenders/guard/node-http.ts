import { guardedBody } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: 'bare node:http',
  checks: 'nothing',
  bare: 'node-http',
  open: async () => ({
    listener: (_req, res) => {
      res.setHeader('content-type', 'application/json; charset=utf-8').end(JSON.stringify(guardedBody))
    },
  }),
}
