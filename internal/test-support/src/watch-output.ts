// Runs before every test file. After the tests of the file, searches everything that the process
// wrote to stdout, stderr and the console for secrets (docs/design/events-and-reports.md). Files
// may share a process, so each restores the streams.
import { format } from 'node:util'
import { afterAll, expect } from 'vitest'
import { findLeaks } from './secrets.js'

const written: string[] = []

/** Records what a method receives. Returns a function that restores the method. */
const watchMethod = (target: object, method: string, toText: (...args: unknown[]) => string): (() => void) => {
  const watched = Reflect.get(target, method)
  const apply: ProxyHandler<() => unknown>['apply'] = (called, self, args) => {
    written.push(toText(...args))
    return Reflect.apply(called, self, args)
  }
  Reflect.set(target, method, new Proxy(watched, { apply }))
  return () => void Reflect.set(target, method, watched)
}

const toWritten = (chunk: unknown): string =>
  (chunk instanceof Uint8Array ? Buffer.from(chunk) : String(chunk)).toString()

const undo = [
  ...[process.stdout, process.stderr].map((stream) => watchMethod(stream, 'write', toWritten)),
  ...['debug', 'error', 'info', 'log', 'warn'].map((method) => watchMethod(console, method, format)),
]

afterAll(() => {
  for (const undoOne of undo) undoOne()
  expect(findLeaks(written.join('\n')), 'secrets in what these tests wrote').toEqual([])
})
