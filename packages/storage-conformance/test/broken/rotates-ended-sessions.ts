import type { SessionStorage } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'
import { changeReads } from '../support/change-reads.js'

/** Compares only the verifier hash, and ignores `endedAt`. */
export const rotatesEndedSessions = (storage: SessionStorage): SessionStorage => {
  const rotated = new Map<string, string>()
  return {
    ...changeReads(storage, (session) => ({
      ...session,
      verifierHash: rotated.get(session.id) ?? session.verifierHash,
    })),
    rotate: async (rotation, options) => {
      const found = await findRecord(storage, rotation.sessionId, options)
      if (found?.verifierHash !== rotation.expectedVerifierHash || found.endedAt === null) {
        return storage.rotate(rotation, options)
      }
      rotated.set(rotation.sessionId, rotation.verifierHash)
      return 'rotated'
    },
  }
}
