import type { SessionStorage } from '@jwt-auth/core'
import type { Moment } from '../../src/index.js'

/** A storage whose every call fails: before it is made, or after it took place. */
export const interruptedStorage = (storage: SessionStorage, moment: Moment): SessionStorage => {
  const interrupt = async <T>(call: () => Promise<T>): Promise<T> => {
    if (moment === 'after-commit') await call()
    throw new Error('interrupted')
  }
  return {
    create: (...args) => interrupt(() => storage.create(...args)),
    findByIds: (...args) => interrupt(async () => storage.findByIds(...args)),
    findBySelectorHash: (...args) => interrupt(() => storage.findBySelectorHash(...args)),
    rotate: (...args) => interrupt(() => storage.rotate(...args)),
    end: (...args) => interrupt(() => storage.end(...args)),
    endAllForUser: (...args) => interrupt(() => storage.endAllForUser(...args)),
    listActive: (...args) => interrupt(() => storage.listActive(...args)),
    endCreatedBefore: (...args) => interrupt(() => storage.endCreatedBefore(...args)),
    clearRecentVerifiers: (...args) => interrupt(() => storage.clearRecentVerifiers(...args)),
    deleteExpired: (...args) => interrupt(() => storage.deleteExpired(...args)),
  }
}
