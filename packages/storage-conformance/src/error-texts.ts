import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core'

/** Asserts that an error, as a host would log it with what caused it, tells none of a session's hashes and salts, nor its label. */
export const assertTellsNothing = (error: unknown, session: SessionRecord): void => {
  const { selectorHash, verifierHash, label, recentVerifiers } = session
  const recent = recentVerifiers.flatMap((each) => [each.verifierHash, each.salt])
  const told = [selectorHash, verifierHash, label, ...recent].filter(
    (value) => value !== null && textsOf(error).includes(value),
  )
  // The values stay out of this message as well.
  assert.equal(told.length, 0, "an error's message tells values of the session")
}

const textsOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${error.stack} ${textsOf(error.cause)}` : String(error)
