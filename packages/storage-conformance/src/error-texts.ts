import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { boundTexts } from './port-calls.js'

/** Asserts that an error, logged with its causes, contains no text that was passed to a call. */
export const assertNoBoundText = (error: unknown): void => {
  const logged = `${inspect(error)} ${messagesOf(error)}`
  const found = new Set(boundTexts.flatMap(({ name, text }) => (logged.includes(text) ? [name] : [])))
  // This message names the fields and omits the texts.
  assert.equal(found.size, 0, `the error contains the value of: ${[...found].join(', ')}`)
}

/** Asserts that a call rejects with an error that contains no text that was passed to a call. */
export const assertRejectsWithoutBoundText = (call: () => unknown): Promise<void> =>
  assert.rejects(
    async () => call(),
    (error) => {
      assertNoBoundText(error)
      return true
    },
  )

const messagesOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : String(error)
