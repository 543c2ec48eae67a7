import { AuthError } from '../errors/auth-error.js'
import { optionError } from '../option-checks.js'
import { inBatches } from './in-batches.js'
import type { ServiceContext } from './service-context.js'

const batch = 1_000
const reason = 'issued_before'

/**
 * Ends every active session of the service that was opened before an instant, in batches. Resolves to how many it ended. Throws
 * `jwt_auth_unavailable` when storage fails or the service closes before the end: call it again.
 */
export const revokeIssuedBefore = async (context: ServiceContext, instant: unknown): Promise<number> => {
  if (!(instant instanceof Date) || Number.isNaN(instant.getTime())) {
    throw optionError('instant', 'a valid Date', instant)
  }
  const at = context.system.now()
  const created = { createdBefore: instant.getTime(), limit: batch }
  const ending = { endedAt: at, endReason: reason }
  const { total, isComplete } = await inBatches(context, batch, () => context.storage.endCreatedBefore(created, ending))
  if (total > 0) {
    const issuedBefore = new Date(instant)
    context.emit({ type: 'sessions_ended_before', issuedBefore, count: total, at: new Date(at), reason })
  }
  if (isComplete) return total
  const cause = new Error('jwt-auth: close() was called before all sessions were ended.')
  throw new AuthError('jwt_auth_unavailable', { cause })
}
