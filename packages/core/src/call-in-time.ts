import { AuthError } from './errors/auth-error.js'
import { type RunInTime, TimeoutError } from './system.js'

/**
 * Calls a function of the application and settles as its promise does.
 *
 * @param option The option that contains the function, for the report.
 * @throws AuthError `jwt_auth_unavailable` when the function takes longer than `callTimeoutMs`
 */
export type CallInTime = <T>(option: string, call: () => Promise<T>) => Promise<T>

/** Creates the function that calls functions of the application. */
export const createCallInTime =
  (runInTime: RunInTime): CallInTime =>
  async (option, call) => {
    try {
      return await runInTime(call)
    } catch (cause) {
      if (!(cause instanceof TimeoutError)) throw cause
      throw new AuthError('jwt_auth_unavailable', { cause, detail: `option \`${option}\` took too long` })
    }
  }
