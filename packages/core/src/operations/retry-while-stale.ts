import { AuthError } from '../errors/auth-error.js'

// A lost swap means that another one won: the next look finds the session changed, or ended. More losses in a row than this
// are a storage that does not keep its word.
const mostAttempts = 4

/** Looks and swaps again while the swap is lost. Throws `jwt_auth_unavailable` when it is lost too often. */
export const retryWhileStale = async <T>(attempt: () => Promise<T | 'stale'>): Promise<T> => {
  for (let count = 0; count < mostAttempts; count += 1) {
    const result = await attempt()
    if (result !== 'stale') return result
  }
  const cause = new Error(`jwt-auth: storage.rotate answered "stale" ${mostAttempts} times in a row.`)
  throw new AuthError('jwt_auth_unavailable', { cause })
}
