import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: 'bare Express 5',
  checks: 'nothing',
  open: async () => ({ listener: openExpress() }),
}
