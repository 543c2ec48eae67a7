import { describe, expect, it } from 'vitest'
import { createHeldCalls } from '../../src/model/held-calls.js'

/** A call that is held, and whether its sender heard of an end of it. */
const createSentCall = () => {
  const calls = createHeldCalls(() => {})
  const { find } = calls.hold('A', 'store', { find: async () => 'found' })
  const heard: string[] = []
  find().then(
    () => heard.push('answered'),
    () => heard.push('failed'),
  )
  const [call = expect.unreachable()] = calls.waiting
  return { call, heard, calls }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a held call', () => {
  it('is heard of by its sender when it fails', async () => {
    const { call, heard } = createSentCall()
    call.fail()
    await nextTurn()
    expect(heard).toEqual(['failed'])
  })

  it('of a sender that is gone is heard of by nobody, whether it is done or fails', async () => {
    const failing = createSentCall()
    failing.call.orphan()
    failing.call.fail()
    const working = createSentCall()
    working.call.orphan()
    await working.call.advance()
    await nextTurn()
    expect([failing.heard, working.heard]).toEqual([[], []])
    expect([failing.calls.waiting, working.calls.waiting]).toEqual([[], []])
  })
})
