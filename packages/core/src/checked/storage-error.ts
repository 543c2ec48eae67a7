import { AuthError } from '../errors/auth-error.js'

/**
 * Creates the error of a storage that fails. The messages of adapters contain no ids. The `detail`
 * of this error names the session if the call concerned a single session, or if the storage could
 * not read this session.
 */
export const toStorageError = (cause: unknown, sessionId?: string): AuthError =>
  new AuthError('jwt_auth_unavailable', {
    cause,
    detail: sessionId === undefined ? 'storage failed' : `storage failed for session ${sessionId}`,
  })

/**
 * Creates the error of an adapter for the application's log, with the code of a failure. Omits the
 * message and the cause of the failure, which may contain bound values.
 *
 * @param sentence says what failed, such as `redisStorage could not end a session`
 * @param advice says how to fix the failure, starting with `; `
 */
export const createAdapterError = (sentence: string, code: string, advice = ''): Error =>
  Object.assign(new Error(`jwt-auth: ${sentence} (${code})${advice}`), { code })
