// Runs before every test file. After the tests of the file, searches everything that the process
// wrote to stdout, stderr and the console for secrets (docs/design/events-and-reports.md). Files
// may share a process, so each restores the streams.
import { format } from 'node:util'
import { afterAll, expect } from 'vitest'
import { findLeaks } from './secrets.js'

const written: string[] = []

/** Records what a stream receives. Returns a function that restores the stream. */
const watchStream = (stream: NodeJS.WriteStream): (() => void) => {
  const { write } = stream
  stream.write = new Proxy(write, {
    apply: (write, self, args) => {
      written.push(Buffer.from(args[0]).toString())
      return Reflect.apply(write, self, args)
    },
  })
  return () => {
    stream.write = write
  }
}

const watchConsole = (method: 'debug' | 'error' | 'info' | 'log' | 'warn'): (() => void) => {
  const log = console[method]
  console[method] = new Proxy(log, {
    apply: (log, self, args) => {
      written.push(format(...args))
      return Reflect.apply(log, self, args)
    },
  })
  return () => {
    console[method] = log
  }
}

const undo = [
  watchStream(process.stdout),
  watchStream(process.stderr),
  ...(['debug', 'error', 'info', 'log', 'warn'] as const).map(watchConsole),
]

afterAll(() => {
  for (const undoOne of undo) undoOne()
  expect(findLeaks(written.join('\n')), 'secrets in what these tests wrote').toEqual([])
})
