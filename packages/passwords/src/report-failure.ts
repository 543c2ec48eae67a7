import { AuthError } from '@jwt-auth/core'

/** Reports a failure after which a login or a sign-up continues. Never throws. */
export const reportFailure = (onError: (error: AuthError) => void, detail: string, cause: unknown): void => {
  try {
    onError(new AuthError('jwt_auth_unavailable', { detail, cause }))
  } catch {
    // The failure of a log cannot be logged.
  }
}
