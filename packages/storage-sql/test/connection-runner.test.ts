import { describe, expect, it } from 'vitest'
import { createConnectionRunner } from '../src/connection-runner.js'

const connection = { name: 'the connection' }
const client = { dialect: 'postgresql', send: async () => ({}) } as const

describe('a query on a connection of a pool', () => {
  it('takes no connection when its signal has already aborted', async () => {
    const acquire = () => Promise.reject(new Error('a connection was taken'))
    const runOnConnection = createConnectionRunner({ ...client, acquire, release: () => {} })
    const query = runOnConnection({ signal: AbortSignal.abort(new Error('late')) }, async () => {})
    await expect(query).rejects.toThrow('late')
  })

  it('is not sent, and the connection returns to the pool, when the signal aborts after the pool handed it out', async () => {
    const controller = new AbortController()
    const calls: unknown[] = []
    const runOnConnection = createConnectionRunner({
      ...client,
      acquire: () => {
        const acquiring = Promise.resolve(connection)
        // Aborts after the pool handed the connection out, and before the query starts.
        void acquiring.then(() => controller.abort(new Error('late')))
        return acquiring
      },
      release: (released, reason) => calls.push([released, reason]),
    })
    const query = runOnConnection({ signal: controller.signal }, async () => calls.push('sent'))
    await expect(query).rejects.toThrow('late')
    expect(calls).toEqual([[connection, undefined]])
  })

  it('is not sent, and the connection is discarded, when the signal aborts while the connection is checked', async () => {
    const controller = new AbortController()
    const reason = new Error('late')
    const calls: unknown[] = []
    const runOnConnection = createConnectionRunner({
      ...client,
      acquire: async () => connection,
      isInTransaction: async () => {
        controller.abort(reason)
        return false
      },
      release: (...args) => calls.push(args),
    })
    const query = runOnConnection({ signal: controller.signal }, async () => calls.push('sent'))
    await expect(query).rejects.toThrow('late')
    await new Promise(setImmediate)
    expect(calls).toEqual([[connection, reason]])
  })

  it('rejects immediately, and its connection is discarded with the reason, when the signal aborts in flight', async () => {
    const controller = new AbortController()
    const reason = new Error('late')
    const released = new Promise((resolve) => {
      const runOnConnection = createConnectionRunner({
        ...client,
        acquire: async () => connection,
        release: (...args) => resolve(args),
      })
      const neverSettled = runOnConnection({ signal: controller.signal }, () => new Promise<never>(() => {}))
      neverSettled.catch(() => {})
    })
    await new Promise(setImmediate)
    controller.abort(reason)
    expect(await released).toEqual([connection, reason])
  })

  it.each([
    'Query read timeout',
    '57P01',
    '57P02',
    '25006',
    'ER_OPTION_PREVENTS_STATEMENT',
    'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
    'ER_READ_ONLY_MODE',
  ])('discards its connection, for a reason without values, after the failure %s', async (name) => {
    const failure = Object.assign(new Error(name), name.startsWith('Query') ? {} : { code: name })
    const calls: unknown[] = []
    const runOnConnection = createConnectionRunner({
      ...client,
      acquire: async () => connection,
      cancel: async (...[cancelled]) => void calls.push(cancelled),
      release: (...args) => calls.push(args),
    })
    await expect(runOnConnection(undefined, () => Promise.reject(failure))).rejects.toBe(failure)
    await new Promise(setImmediate)
    const reason = 'its statement may still run, or its server is closing it or accepts no writes'
    expect(calls).toEqual([connection, [connection, reason]])
  })
})
