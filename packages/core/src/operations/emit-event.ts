import { type AuthError, toAuthError } from '../errors/auth-error.js'
import type { AuthEvent } from '../options/auth-event.js'
import { callListener } from './call-listener.js'

/** Tells the host of an event. Never throws, and nothing waits for it: a listener changes nothing. */
export type EmitEvent = (event: AuthEvent) => void

/** Keeps a listener's failure, at once or later, from reaching the operation. */
export const createEmitter =
  (onEvent: (event: AuthEvent) => unknown, onError: (error: AuthError) => void): EmitEvent =>
  (event) =>
    callListener(onEvent, Object.freeze(event), (thrown) => onError(toAuthError(thrown)))
