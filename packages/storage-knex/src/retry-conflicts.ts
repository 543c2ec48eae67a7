import { isConflict } from './storage-error.js'

// Statements that keep deadlocking show overload. Then the failure is the right response.
const mostAttempts = 3

/** Sends a statement again when the database rolled it back because of a concurrent one, at most three times in all. */
export const retryConflicts = async <T>(send: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      if (!isConflict(error) || attempt === mostAttempts) throw error
    }
  }
}
