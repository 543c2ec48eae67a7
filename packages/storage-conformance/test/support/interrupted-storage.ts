import type { SessionStorage } from '@jwt-auth/core'
import type { Moment } from '../../src/index.js'
import { wrapCalls } from './wrap-calls.js'

/** Returns a storage whose calls all fail, before or after they take place. */
export const interruptedStorage = (storage: SessionStorage, moment: Moment): SessionStorage =>
  wrapCalls(storage, async (send) => {
    if (moment === 'after-commit') await send()
    throw new Error('interrupted')
  })
