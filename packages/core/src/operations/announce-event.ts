import { type AuthError, toAuthError } from '../errors/auth-error.js'
import type { AuthEvent } from '../options/auth-event.js'
import { callListener } from './call-listener.js'

/** Tells the host of an event. Never throws, and nothing waits for it: a listener changes nothing. */
export type AnnounceEvent = (event: AuthEvent) => void

/** Keeps a listener's failure, at once or later, from reaching the operation. */
export const createAnnouncer =
  (onEvent: (event: AuthEvent) => unknown, onError: (error: AuthError) => void): AnnounceEvent =>
  (event) =>
    callListener(onEvent, Object.freeze(event), (thrown) => onError(toAuthError(thrown)))
