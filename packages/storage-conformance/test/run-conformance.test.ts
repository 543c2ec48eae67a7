import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import {
  type AdapterUnderTest,
  type ConformanceReport,
  conformanceCases,
  formatReport,
  runConformance,
} from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { capabilities } from '../src/conformance-case.js'
import { describeFailure } from '../src/format-report.js'
import { fullSession, sampleSession, sampleSessions } from '../src/sample-session.js'
import { listsOldestFirst } from './mistakes/lists-and-clean-up.js'
import { breakStorage } from './mistakes/mistake.js'
import { failingStorage, holdableStorage } from './support/test-storages.js'

const createStorage = () => memoryStorage({ quiet: true })
const cases = conformanceCases({ createStorage })
const never = () => new Promise<never>(() => {})

/** Runs the waiting cases. Resolves to their failures. */
const findFailedWhileHeld = async (createHeldStorage: AdapterUnderTest['createHeldStorage']) => {
  const only = ({ capability }: { readonly capability: string }) => capability === 'waiting'
  const { results } = await runConformance({ createStorage, createHeldStorage }, { only })
  return results.flatMap(({ outcome, failure }) => (outcome === 'failed' ? [describeFailure(failure)] : []))
}

it('the full sample session has a value in every field that may be null, except its end', () => {
  const empty = Object.entries(fullSession(1)).flatMap(([name, value]) => (value === null ? [name] : []))
  expect(empty).toEqual(['endedAt', 'endReason'])
})

describe('runConformance', () => {
  it('runs every case on its own storage, and lists the capabilities that it could not check', async () => {
    const heard: ConformanceReport['results'][number][] = []
    const made: SessionStorage[] = []
    const closed: SessionStorage[] = []
    const createAndRemember = () => {
      const storage = createStorage()
      made.push(storage)
      return storage
    }
    const report = await runConformance(
      { createStorage: createAndRemember, close: (storage) => closed.push(storage) },
      { onCase: (result) => heard.push(result) },
    )
    expect(report).toEqual({
      isConformant: false,
      results: heard,
      notChecked: ['failures', 'interruptions', 'waiting', 'sharing', 'processes', 'damage'],
    })
    expect(heard.map(({ title }) => title)).toEqual(cases.map(({ title }) => title))
    expect(new Set(made).size).toBe(cases.length)
    expect(closed).toEqual(made)
  })

  it('runs the remaining cases after a failure, and reports the storage as not conformant', async () => {
    const { isConformant, results } = await runConformance({
      createStorage: () => breakStorage(listsOldestFirst, createStorage()),
    })
    expect(isConformant).toBe(false)
    expect(results).toHaveLength(cases.length)
  })

  it('fails the waiting cases when a call waits although the adapter has nothing to hold', async () => {
    const waiting = { ...createStorage(), end: never }
    const { results } = await runConformance({
      createStorage,
      createHeldStorage: () => [waiting, 'nothing-to-hold'],
    })
    const failed = results.filter(({ outcome }) => outcome === 'failed')
    expect(new Set(failed.map(({ failure }) => describeFailure(failure)))).toEqual(
      new Set(["'nothing-to-hold' is wrong: these calls wait for the backend: end"]),
    )
    expect(failed).toHaveLength(2)
  })

  it('passes the waiting cases when only writes wait while the backend is held', async () => {
    const createHeldStorage = () => {
      const inner = createStorage()
      const { findByIds, findBySelectorHash, list } = inner
      const [storage, hold] = holdableStorage(inner)
      return [{ ...storage, findByIds, findBySelectorHash, list }, hold] as const
    }
    expect(await findFailedWhileHeld(createHeldStorage)).toEqual([])
  })

  it.each(['end', 'findByIds'] as const)(
    'fails a waiting case when %s succeeds after a turn of the event loop while the backend is held',
    async (name) => {
      const createHeldStorage = () => {
        const inner = createStorage()
        const [storage, hold] = holdableStorage(inner)
        const late = async (...args: unknown[]) => {
          await nextTurn()
          return Reflect.apply(inner[name], inner, args)
        }
        return [{ ...storage, [name]: late }, hold] as const
      }
      expect(await findFailedWhileHeld(createHeldStorage)).toContain(`not rejected while the backend was held: ${name}`)
    },
  )

  it('fails a waiting case when a write succeeds within a turn of the event loop while the backend is held', async () => {
    const createHeldStorage = () => {
      const [storage, hold] = holdableStorage(createStorage())
      return [{ ...storage, end: async () => ({ outcome: 'ended' as const }) }, hold] as const
    }
    expect(await findFailedWhileHeld(createHeldStorage)).toContain('not rejected while the backend was held: end')
  })

  it('fails a case that exceeds its time limit, and runs the remaining cases', async () => {
    const hanging = () => ({ ...createStorage(), deleteExpired: never })
    const { results } = await runConformance({ createStorage: hanging }, { caseLimitMs: 20 })
    const late = results.filter(({ title }) => title.startsWith('deleteExpired'))
    expect(new Set(late.map(({ failure }) => describeFailure(failure)))).toEqual(
      new Set(['the case took longer than 20 milliseconds']),
    )
    expect(results).toHaveLength(cases.length)
  })

  it('fails every case when creating a storage exceeds the time limit', async () => {
    const { results } = await runConformance({ createStorage: never }, { caseLimitMs: 1 })
    expect(new Set(results.map(({ failure }) => describeFailure(failure)))).toEqual(
      new Set(['creating the storages took longer than 1 milliseconds']),
    )
  })

  it('fails every case when creating a storage fails', async () => {
    const { results } = await runConformance({ createStorage: () => Promise.reject(new Error('no database')) })
    expect(new Set(results.map(({ failure }) => describeFailure(failure)))).toEqual(new Set(['no database']))
  })
})

describe('formatReport', () => {
  it('prints the passed and failed cases, the failures, and the capabilities that were not checked', () => {
    const text = formatReport({
      isConformant: false,
      results: [
        { capability: 'listing', title: 'lists all', outcome: 'passed' },
        {
          capability: 'listing',
          title: 'lists none',
          outcome: 'failed',
          failure: new Error('\nexpected none:\n+ one'),
        },
        { capability: 'creation', title: 'creates', outcome: 'passed' },
      ],
      notChecked: ['sharing'],
    })
    expect(text).toBe(`creation         1 passed    0 failed
listing          1 passed    1 failed
  - lists none
      expected none:
      + one
sharing        not checked

  2 passed    1 failed
`)
  })
})

const createPair = () => [createStorage(), createStorage()] as const
const adapter: AdapterUnderTest = {
  createStorage,
  createFailingStorage: failingStorage,
  createInterruptedStorages: createPair,
  createHeldStorage: () => [createStorage(), 'nothing-to-hold'],
  createSharedStorages: createPair,
  createProcessStorages: createPair,
  createDamageableStorage: () => [createStorage(), 'nothing-to-damage'],
}
const everyCase = conformanceCases(adapter)

describe('the conformance cases', () => {
  it('have unique titles', () => {
    const titles = everyCase.map(({ title }) => title)
    expect(titles.filter((title, position) => titles.indexOf(title) !== position)).toEqual([])
  })

  it('cover every capability, in the order of the report', () => {
    expect([...new Set(everyCase.map(({ capability }) => capability))]).toEqual(capabilities)
  })
})

const failureOf = (check: () => void): unknown => {
  try {
    check()
  } catch (error) {
    return error
  }
  throw new Error('the check passed')
}

describe('describeFailure', () => {
  it('returns the lines of the comparison, without colours and empty lines', () => {
    const failure = failureOf(() => assert.deepEqual([{ id: 'a', label: '' }], [{ id: 'a', label: null }]))
    expect(describeFailure(failure).split('\n')).toEqual(
      expect.arrayContaining(["+     label: ''", '-     label: null', "      id: 'a',"]),
    )
    const coloured = describeFailure(new Error('\u001b[32m+\u001b[39m actual\n\n\u001b[31m- expected\u001b[39m'))
    expect(coloured).toBe('+ actual\n- expected')
  })

  it('returns the first lines that differ in a long comparison', () => {
    const [sessions, last] = [sampleSessions(100), sampleSession(100, { label: '' })]
    const failure = failureOf(() => assert.deepEqual(sessions.with(99, last), sessions))
    expect(describeFailure(failure)).toContain("+     label: '',\n-     label: null,")
    const lines = describeFailure(failureOf(() => assert.deepEqual(sessions.toReversed(), sessions))).split('\n')
    expect(lines.length).toBeLessThanOrEqual(30)
    expect(lines).toContain(`+     id: '${last.id}',`)
  })
})
