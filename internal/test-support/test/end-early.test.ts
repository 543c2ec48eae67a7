import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { listenForEnd } from '../src/index.js'

const createHost = () => {
  const exits: number[] = []
  const told: string[] = []
  let instant = 0
  const events = new EventEmitter()
  const streams = { stdout: new EventEmitter(), stderr: new EventEmitter() }
  const signal = listenForEnd(
    () => told.push('told'),
    { listen: (name, hear) => events.on(name, hear), exit: (code) => exits.push(code), ...streams },
    () => instant,
  )
  return { events, streams, signal, exits, told, wait: (ms: number) => (instant += ms) }
}

describe('a command', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('ends early at %s and prints that once', (name) => {
    const { events, signal, exits, told } = createHost()
    expect(signal.aborted).toBe(false)
    events.emit(name)
    expect(signal.aborted).toBe(true)
    expect([told, exits]).toEqual([['told'], []])
  })

  it('ignores a signal that npm repeats', () => {
    const { events, exits, wait } = createHost()
    events.emit('SIGINT')
    wait(1_000)
    events.emit('SIGINT')
    expect(exits).toEqual([])
  })

  it('ends immediately at a second signal', () => {
    const { events, exits, wait } = createHost()
    events.emit('SIGINT')
    wait(1_001)
    events.emit('SIGINT')
    expect(exits).toEqual([1])
  })

  it.each(['stdout', 'stderr'] as const)('ends early and prints nothing when %s is closed', (name) => {
    const { streams, signal, told } = createHost()
    streams[name].emit('error', new Error('EPIPE'))
    streams[name].emit('error', new Error('EPIPE'))
    expect(signal.aborted).toBe(true)
    expect(told).toEqual([])
  })
})
