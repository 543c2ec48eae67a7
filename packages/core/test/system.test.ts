import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { listen } from '@jwt-auth/test-support'
import { describe, expect, it } from 'vitest'
import { machineSystem } from '../src/system.js'

describe('machineSystem', () => {
  it('returns the time in milliseconds since 1970', () => {
    const before = Date.now()
    const now = machineSystem.now()
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
  })

  it('generates the requested number of random bytes, different each time', () => {
    const generated = Array.from({ length: 50 }, () => machineSystem.randomBytes(16))
    expect(generated.map(({ length }) => length)).toEqual(generated.map(() => 16))
    expect(new Set(generated.map((bytes) => bytes.toString('hex'))).size).toBe(50)
  })

  // Timers of the same delay fire in the order in which they were started.
  it('calls the callback of a timer once, and never after the timer was stopped', async () => {
    const called: string[] = []
    const stop = machineSystem.startTimer(1, () => called.push('stopped'))
    machineSystem.startTimer(1, () => {
      called.push('first')
      stopDue()
    })
    const stopDue = machineSystem.startTimer(1, () => called.push('stopped when due'))
    stop()
    await new Promise<void>((resolve) => {
      machineSystem.startTimer(1, resolve)
    })
    expect(called).toEqual(['first'])
  })

  it('calls the callback of a timer after the input that arrived while the event loop was blocked', async () => {
    const order: string[] = []
    const server = createServer((socket) => socket.on('data', () => order.push('input')))
    const client = connect(await listen(server), '127.0.0.1')
    await once(server, 'connection')
    await new Promise<void>((resolve) => {
      client.write('x', () => {
        machineSystem.startTimer(1, () => {
          order.push('timer')
          resolve()
        })
        const end = performance.now() + 20
        while (performance.now() < end);
      })
    })
    client.destroy()
    server.close()
    expect(order).toEqual(['input', 'timer'])
  })
})
