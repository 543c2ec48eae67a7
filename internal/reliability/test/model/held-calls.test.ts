import { describe, expect, it } from 'vitest'
import { createHeldCalls } from '../../src/model/held-calls.js'

/** Sends a call that waits, and notes how it settles. */
const sendCall = () => {
  const calls = createHeldCalls(() => {})
  const { find } = calls.hold('A', 'store', { find: async () => 'found' })
  const settled: string[] = []
  find().then(
    () => settled.push('resolved'),
    () => settled.push('rejected'),
  )
  const [call = expect.unreachable()] = calls.waiting
  return { call, settled, calls }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a held call', () => {
  it('rejects when it fails', async () => {
    const { call, settled } = sendCall()
    call.fail()
    await nextTurn()
    expect(settled).toEqual(['rejected'])
  })

  it('never settles without its sender, whether it works or fails', async () => {
    const failing = sendCall()
    failing.call.orphan()
    failing.call.fail()
    const working = sendCall()
    working.call.orphan()
    await working.call.advance()
    await nextTurn()
    expect([failing.settled, working.settled]).toEqual([[], []])
    expect([failing.calls.waiting, working.calls.waiting]).toEqual([[], []])
  })
})
