import { expect, it } from 'vitest'
import { findAcceptedMutations } from '../support/mutated-proofs.js'

it('none of 1,000 changed proofs is accepted as a proof of its key', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  expect(findAcceptedMutations(1_000, seed), `seed ${seed}`).toEqual([])
})
