import type { Attempt, Defence } from './defence.js'

/** Creates a common limit of logins: a number of failed attempts per key in each window. */
export const createPlainDefence = (
  keyOf: (attempt: Attempt) => string,
  limit: { readonly points: number; readonly durationSeconds: number },
): Defence => {
  const windows = new Map<string, { failures: number; readonly endsAt: number }>()
  return {
    attempt: async (attempt) => {
      const { second, isRightPassword } = attempt
      const known = windows.get(keyOf(attempt))
      const window =
        known !== undefined && second < known.endsAt ? known : { failures: 0, endsAt: second + limit.durationSeconds }
      if (window.failures >= limit.points) return { waitSeconds: window.endsAt - second }
      if (isRightPassword) return 'success'
      window.failures += 1
      windows.set(keyOf(attempt), window)
      return 'wrong'
    },
  }
}
