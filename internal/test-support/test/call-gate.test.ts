import { describe, expect, it } from 'vitest'
import { createCallGate } from '../src/call-gate.js'

const createAdder = () => {
  const added: number[] = []
  const port = {
    kind: 'adder',
    add: async (number: number) => {
      added.push(number)
      return added.length
    },
  }
  return { added, gate: createCallGate(port) }
}

describe('a gate before the methods of a port', () => {
  it('passes calls, records their names and results, and changes no other member', async () => {
    const { gate } = createAdder()
    expect([await gate.port.add(1), await gate.port.add(2), gate.port.kind]).toEqual([1, 2, 'adder'])
    expect([gate.calls, gate.results('add')]).toEqual([
      ['add', 'add'],
      [1, 2],
    ])
  })

  it('holds calls before they are performed, and lets a test settle each', async () => {
    const { gate, added } = createAdder()
    gate.hold('add')
    const settled = Promise.allSettled([1, 2, 3, 4].map((number) => gate.port.add(number)))
    const [released, rejected, resolved, lost] = await gate.held('add', 4)
    expect([added, released?.args]).toEqual([[], [1]])
    released?.release()
    rejected?.reject('before')
    resolved?.resolve(7)
    await lost?.perform()
    lost?.reject('after')
    expect(await settled).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: 'before' },
      { status: 'fulfilled', value: 7 },
      { status: 'rejected', reason: 'after' },
    ])
    expect(added).toEqual([1, 4])
  })

  it('holds the outcomes of calls that are performed', async () => {
    const { gate, added } = createAdder()
    gate.holdOutcomes('add')
    const call = gate.port.add(1)
    const [held] = await gate.held('add')
    expect(added).toEqual([1])
    held?.release()
    expect([await call, added]).toEqual([1, [1]])
  })

  it('fails calls before or after they are performed, until it is opened', async () => {
    const { gate, added } = createAdder()
    gate.fail('down', 'add')
    await expect(gate.port.add(1)).rejects.toBe('down')
    gate.loseOutcomes('lost', 'add')
    await expect(gate.port.add(2)).rejects.toBe('lost')
    gate.open()
    expect([await gate.port.add(3), added]).toEqual([2, [2, 3]])
  })

  it('releases the held calls when it is opened', async () => {
    const { gate } = createAdder()
    gate.hold('add')
    const calls = [gate.port.add(1), gate.port.add(2)]
    await gate.held('add', 2)
    gate.open('add')
    expect(await Promise.all(calls)).toEqual([1, 2])
  })

  it('applies a rule of the test to every call', async () => {
    const { gate, added } = createAdder()
    gate.apply((call) => call.resolve(call.args[0]), 'add')
    expect([await gate.port.add(9), added]).toEqual([9, []])
  })
})
