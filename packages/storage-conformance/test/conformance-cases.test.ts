import {
  conformanceCases,
  damageCases,
  failureCases,
  interruptionCases,
  processCases,
  sharingCases,
  waitingCases,
} from '@jwt-auth/storage-conformance'
import { describe, expect, it } from 'vitest'
import { capabilities } from '../src/conformance-case.js'

const cases = [
  ...conformanceCases,
  ...failureCases,
  ...interruptionCases,
  ...waitingCases,
  ...sharingCases,
  ...processCases,
  ...damageCases,
]

describe('the conformance cases', () => {
  it('have unique titles', () => {
    const titles = cases.map(({ title }) => title)
    expect(titles.filter((title, position) => titles.indexOf(title) !== position)).toEqual([])
  })

  it('cover every capability, in the order of the report', () => {
    expect([...new Set(cases.map(({ capability }) => capability))]).toEqual(capabilities)
  })
})
