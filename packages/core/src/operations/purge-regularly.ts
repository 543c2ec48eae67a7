import { type AuthError, toAuthError } from '../errors/auth-error.js'
import type { System } from '../system.js'

/** Purges again and again until the returned function is called; a failure goes to `report` and the next turn tries again. */
export const purgeRegularly = (
  purge: () => Promise<unknown>,
  intervalSeconds: number,
  { startTimer, report }: { readonly startTimer: System['startTimer']; readonly report: (error: AuthError) => void },
): (() => void) => {
  let stopTimer = (): void => {}
  let isStopped = false

  const wait = (): void => {
    if (!isStopped) stopTimer = startTimer(intervalSeconds * 1000, turn)
  }
  const turn = (): void => {
    purge()
      .catch((thrown: unknown) => report(toAuthError(thrown)))
      .finally(wait)
  }

  wait()
  return () => {
    isStopped = true
    stopTimer()
  }
}
