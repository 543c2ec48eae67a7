import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { boundTexts } from './port-calls.js'

/** Asserts that an error, as an application would log it with its causes, holds no text that was passed to a call. */
export const assertTellsNothing = (error: unknown): void => {
  const logged = `${inspect(error)} ${messagesOf(error)}`
  const told = new Set(boundTexts.flatMap(({ name, text }) => (logged.includes(text) ? [name] : [])))
  // The texts themselves stay out of this message as well.
  assert.equal(told.size, 0, `an error holds what was passed to a call as: ${[...told].join(', ')}`)
}

/** Asserts that a call rejects with an error that holds no text that was passed to it. */
export const assertRejectsAndTellsNothing = (call: () => unknown): Promise<void> =>
  assert.rejects(
    async () => call(),
    (error) => {
      assertTellsNothing(error)
      return true
    },
  )

const messagesOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : String(error)
