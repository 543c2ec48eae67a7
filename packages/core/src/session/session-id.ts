import type { System } from '../system.js'

/** Draws a session's id: 16 random bytes, 22 characters of base64url. */
export const generateSessionId = (randomBytes: System['randomBytes']): string => randomBytes(16).toString('base64url')

/** Whether a value has the form of a session's id; anything else is nobody's, and storage need not be asked. */
export const isSessionId = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9_-]{22}$/.test(value)
