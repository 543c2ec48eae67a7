import type { EndOutcome, SessionRecord } from '../ports/session-storage.js'
import type { EpochMs } from '../system.js'
import type { ServiceContext } from './service-context.js'

/** Ends one session by a write of its own, and says so to the host where this call was the one that ended it. */
export const endSession = async (
  { storage, emit }: Pick<ServiceContext, 'storage' | 'emit'>,
  session: Pick<SessionRecord, 'id' | 'userId'>,
  { at, reason }: { readonly at: EpochMs; readonly reason: string },
): Promise<EndOutcome> => {
  const outcome = await storage.end(session.id, { endedAt: at, endReason: reason })
  if (outcome.outcome === 'ended') {
    emit({ type: 'session_ended', userId: session.userId, sessionId: session.id, at: new Date(at), reason })
  }
  return outcome
}
