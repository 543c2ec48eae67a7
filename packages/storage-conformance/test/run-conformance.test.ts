import type { SessionStorage } from '@jwt-auth/core'
import { type CaseResult, conformanceCases, formatReport, runConformance } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { toFirstLine } from '../src/format-report.js'
import { listsOldestFirst } from './broken/lists-oldest-first.js'

const createStorage = () => memoryStorage({ quiet: true })
const never = () => new Promise<never>(() => {})

describe('runConformance', () => {
  it('runs every case, each on a storage of its own, and says which parts it could not check', async () => {
    const heard: CaseResult[] = []
    const made: SessionStorage[] = []
    const closed: SessionStorage[] = []
    const report = await runConformance(
      () => {
        const storage = createStorage()
        made.push(storage)
        return storage
      },
      { onCase: (result) => heard.push(result), closeStorage: (storage) => void closed.push(storage) },
    )
    expect(report).toEqual({
      isConformant: false,
      results: heard,
      notChecked: ['failures', 'interruptions', 'waiting', 'sharing'],
    })
    expect(heard.map(({ title }) => title)).toEqual(conformanceCases.map(({ title }) => title))
    expect(new Set(made).size).toBe(conformanceCases.length)
    expect(closed).toEqual(made)
  })

  it('goes on after a failure, and calls the storage not conformant', async () => {
    const { isConformant, results } = await runConformance(() => listsOldestFirst(createStorage()))
    expect(isConformant).toBe(false)
    expect(results).toHaveLength(conformanceCases.length)
  })

  it('does not believe that there is nothing to hold where a call waits for something', async () => {
    const waiting = { ...createStorage(), end: never }
    const { results } = await runConformance(createStorage, { createHeldStorage: () => [waiting, 'nothing-to-hold'] })
    const broken = results.filter(({ outcome }) => outcome === 'broken')
    expect(new Set(broken.map(({ failure }) => toFirstLine(failure)))).toEqual(
      new Set(['there is something to hold, for which these calls wait: end']),
    )
    expect(broken).toHaveLength(3)
  })

  it('breaks a case that takes longer than its limit, and goes on', async () => {
    const hanging = () => ({ ...createStorage(), deleteExpired: never })
    const { results } = await runConformance(hanging, { caseLimitMs: 20 })
    const late = results.filter(({ capability }) => capability === 'deletion')
    expect(new Set(late.map(({ failure }) => toFirstLine(failure)))).toEqual(
      new Set(['the case took longer than 20 milliseconds']),
    )
    expect(results).toHaveLength(conformanceCases.length)
  })

  it('breaks every case when making a storage takes longer than the limit', async () => {
    const { results } = await runConformance(never, { caseLimitMs: 1 })
    expect(new Set(results.map(({ failure }) => toFirstLine(failure)))).toEqual(
      new Set(['making a storage took longer than 1 milliseconds']),
    )
  })

  it('breaks every case when no storage can be made', async () => {
    const { results } = await runConformance(() => Promise.reject(new Error('no database')))
    expect(new Set(results.map(({ failure }) => toFirstLine(failure)))).toEqual(new Set(['no database']))
  })
})

describe('formatReport', () => {
  it('shows what was held, what was broken and why, and what was not checked', () => {
    const text = formatReport({
      isConformant: false,
      results: [
        { capability: 'listing', title: 'lists all', outcome: 'held' },
        {
          capability: 'listing',
          title: 'lists none',
          outcome: 'broken',
          failure: new Error('\nexpected none:\n+ one'),
        },
        { capability: 'creation', title: 'creates', outcome: 'held' },
      ],
      notChecked: ['sharing'],
    })
    expect(text).toBe(`creation           1 held    0 broken
listing            1 held    1 broken
  - lists none
      expected none:
sharing          not checked

  2 held    1 broken
`)
  })
})
