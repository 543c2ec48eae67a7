import type { Attempt, Defence } from './defence.js'

/** A limit as it is usually put before a login: so many failed attempts for each key, and no more until the window ends. */
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
      if (isRightPassword) return 'let in'
      window.failures += 1
      windows.set(keyOf(attempt), window)
      return 'wrong'
    },
  }
}
