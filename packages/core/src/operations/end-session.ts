import type { AuthEvent } from '../events/auth-event.js'
import type { EndOutcome, SessionRecord } from '../ports/session-storage.js'
import type { EpochMs } from '../system.js'
import type { ServiceContext } from './service-context.js'

/** When, why and from where a session is ended. */
interface Ending {
  readonly at: EpochMs
  readonly reason: Extract<AuthEvent, { readonly type: 'session_ended' }>['reason']
  /** The address of the client that caused the end. @default null */
  readonly ipAddress?: string | null | undefined
}

/** Ends one session. Emits `session_ended` if this call ended it. */
export const endSession = async (
  { storage, emit }: Pick<ServiceContext, 'storage' | 'emit'>,
  session: Pick<SessionRecord, 'id' | 'userId'>,
  { at, reason, ipAddress = null }: Ending,
): Promise<EndOutcome['outcome']> => {
  const { outcome } = await storage.end({ id: session.id, endedAt: at, endReason: reason })
  if (outcome === 'ended') {
    const { id, userId } = session
    emit({ type: 'session_ended', userId, sessionId: id, ipAddress, at: new Date(at), reason })
  }
  return outcome
}
