import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

/** The least that a guard on Express must do. */
export const contender: ServerContender = {
  title: 'an empty middleware',
  checks: 'nothing',
  open: async () => ({ listener: openExpress((_req, _res, next) => next()) }),
}
