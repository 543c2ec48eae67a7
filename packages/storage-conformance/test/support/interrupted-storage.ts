import type { SessionStorage } from '@jwt-auth/core'
import type { Moment } from '../../src/index.js'
import { wrapCalls } from './wrap-calls.js'

/** A storage whose every call fails: before it is made, or after it took place. */
export const interruptedStorage = (storage: SessionStorage, moment: Moment): SessionStorage =>
  wrapCalls(storage, async (send) => {
    if (moment === 'after-commit') await send()
    throw new Error('interrupted')
  })
