import type { Ending, EndOutcome, SessionRecord } from '@jwt-auth/core'
import { addEarliestScript, removeMemberScript } from './index-scripts.js'
import type { RunScript } from './run-script.js'
import { readTime } from './session-fields.js'
import { type SessionKeys, toExpiryMember, toUserText } from './session-keys.js'
import { endSessionScript } from './session-scripts.js'

/** Ends a session that was read a moment ago. What may have become of it meanwhile is decided by the script. */
export const endSession = async (
  run: RunScript,
  keys: SessionKeys,
  { session, ending }: { readonly session: SessionRecord | undefined; readonly ending: Ending },
): Promise<EndOutcome> => {
  if (session === undefined) return { outcome: 'not-found' }
  if (session.endedAt !== null) {
    return { outcome: 'already-ended', endedAt: session.endedAt, endReason: session.endReason ?? '' }
  }
  const endedAt = String(ending.endedAt)
  await run(addEarliestScript, keys.expiry(session.id), toExpiryMember(session), endedAt)
  const [outcome, heldEndedAt = '', heldEndReason = ''] = await run(
    endSessionScript,
    keys.session(session.id),
    endedAt,
    ending.endReason,
    toUserText(session),
  )
  if (outcome === 'ended') {
    await removeFromActive(run, keys, session)
    return { outcome }
  }
  if (outcome === 'not-found') return { outcome }
  return { outcome: 'already-ended', endedAt: readTime(heldEndedAt, 'endedAt'), endReason: heldEndReason }
}

/** Removes an ended session from the indexes of sessions that have not ended. */
export const removeFromActive = async (run: RunScript, keys: SessionKeys, session: SessionRecord): Promise<void> => {
  await Promise.all([
    run(removeMemberScript, keys.user(session), session.id),
    run(removeMemberScript, keys.created(session), session.id),
  ])
}
