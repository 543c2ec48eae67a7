import type { SessionStorage } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'

/** Writes a rotation in two statements, and checks the signal between them. */
export const writesInTwoSteps = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  rotate: async (rotation, options) => {
    const session = await findRecord(storage, rotation.sessionId)
    if (session === undefined) return 'stale'
    const { verifierHash, recentVerifiers } = session
    await storage.rotate({ ...rotation, verifierHash, recentVerifiers })
    await new Promise(setImmediate)
    options?.signal?.throwIfAborted()
    return storage.rotate(rotation)
  },
})
