import { describe, expect, it } from 'vitest'
import { createTurns } from '../../src/limits/turns.js'

const createWork = () => {
  const started: string[] = []
  const held = new Map<string, (failure?: Error) => void>()
  const run = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      started.push(name)
      held.set(name, (failure) => (failure === undefined ? resolve(name) : reject(failure)))
    })
  const end = async (name: string, failure?: Error) => {
    held.get(name)?.(failure)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { started, run, end }
}

const wide = { ofKey: 100, ofGroup: 100, ofAll: 100 }
const a = { key: 'a', group: 'one' }
const b = { key: 'b', group: 'one' }
const c = { key: 'c', group: 'two' }

describe('work that takes turns', () => {
  it('runs one after another for one key, also after a failure, and independently for another key', async () => {
    const { started, run, end } = createWork()
    const takeTurns = createTurns({ ...wide, ofKey: 10 })
    const first = takeTurns(a, run('first'))
    const second = takeTurns(a, run('second'))
    const other = takeTurns(b, run('other'))
    await end('none')
    expect(started).toEqual(['first', 'other'])
    const failure = new Error('it failed')
    const rejected = expect(first).rejects.toBe(failure)
    await end('first', failure)
    await rejected
    expect(started).toEqual(['first', 'other', 'second'])
    await end('second')
    await end('other')
    expect([await second, await other]).toEqual(['second', 'other'])
  })

  it('does not run when too much waits, and runs again afterwards', async () => {
    const { run, end } = createWork()
    const takeTurns = createTurns({ ...wide, ofKey: 1 })
    const first = takeTurns(a, run('first'))
    expect(takeTurns(a, run('second'))).toBeUndefined()
    await end('none')
    await end('first')
    await first
    expect(takeTurns(a, run('third'))).toBeInstanceOf(Promise)
  })

  it('keeps the order for work that arrives while other work of the key waits', async () => {
    const { started, run, end } = createWork()
    const takeTurns = createTurns({ ...wide, ofKey: 10 })
    const turns = [takeTurns(a, run('first')), takeTurns(a, run('second'))]
    await end('none')
    await end('first')
    turns.push(takeTurns(a, run('third')))
    await end('none')
    expect(started).toEqual(['first', 'second'])
    await end('second')
    await end('third')
    expect(await Promise.all(turns)).toEqual(['first', 'second', 'third'])
  })

  it.each([
    ['of one group', { ...wide, ofGroup: 2 }, 'third'],
    ['altogether', { ...wide, ofAll: 2 }, undefined],
  ])('does not run when too much waits %s, and runs again afterwards', async (_, bounds, inOtherGroup) => {
    const { run, end } = createWork()
    const takeTurns = createTurns(bounds)
    const first = takeTurns(a, run('first'))
    const second = takeTurns(b, run('second'))
    expect(takeTurns({ key: 'd', group: 'one' }, run('none'))).toBeUndefined()
    const other = takeTurns(c, run('third'))
    await end('none')
    await end('third')
    expect(await other).toBe(inOtherGroup)
    await end('first')
    await end('second')
    await Promise.all([first, second])
    expect(takeTurns(b, run('fourth'))).toBeInstanceOf(Promise)
  })
})
