/** The reasons of the service for the end of a session, and what each of them says. */
export const endReasons = {
  revoked: 'Its user logged out, or `sessions.revoke` ended it.',
  revoked_all: '`sessions.revokeAll` without a reason ended it.',
  created_before: '`sessions.revokeAllCreatedBefore` ended it.',
  refresh_token_replayed: 'Somebody used a replaced refresh token after the grace window.',
  refresh_token_repeated: 'Somebody used a replaced refresh token from another network.',
  user_unavailable: 'The user does not exist or is disabled.',
  credentials_changed: 'The user has another credential version.',
  session_limit: 'The user had more than `maxSessionsPerUser` sessions.',
  login_failed: 'The login that opened it failed afterwards. This end causes no event.',
  expired: 'It expired. This end is not stored, and causes no event.',
} as const

/**
 * Why the service itself ended a session. An application may pass other reasons to
 * `sessions.revokeAll`.
 */
export type EndReason = keyof typeof endReasons
