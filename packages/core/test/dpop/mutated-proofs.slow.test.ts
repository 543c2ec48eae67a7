import { expect, it } from 'vitest'
import { findAcceptedMutations } from '../support/mutated-proofs.js'

it('none of 100,000 changed proofs is accepted as a proof of its key', { timeout: 300_000 }, () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  expect(findAcceptedMutations(100_000, seed), `seed ${seed}`).toEqual([])
})
