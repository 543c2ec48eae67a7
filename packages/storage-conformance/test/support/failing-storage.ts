import type { SessionStorage } from '@jwt-auth/core'

const refuse = async (): Promise<never> => {
  throw new Error('connection refused')
}

/** Returns a storage whose backend fails every call. */
export const failingStorage = (): SessionStorage => ({
  create: refuse,
  findByIds: refuse,
  findBySelectorHash: refuse,
  rotate: refuse,
  end: refuse,
  endAllForUser: refuse,
  list: refuse,
  endCreatedBefore: refuse,
  clearRecentVerifiers: refuse,
  deleteExpired: refuse,
})
