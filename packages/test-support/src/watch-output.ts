// Set up before every test file: whatever the file's tests make the process write, to stdout, stderr or the console, is
// searched for secrets when they are through (docs/decisions/0031).
import { format } from 'node:util'
import { afterAll, expect } from 'vitest'
import { findLeaks } from './find-leaks.js'

const written: string[] = []

const watchStream = (stream: NodeJS.WriteStream): void => {
  stream.write = new Proxy(stream.write, {
    apply: (write, self, args) => {
      written.push(Buffer.from(args[0]).toString())
      return Reflect.apply(write, self, args)
    },
  })
}

const watchConsole = (method: 'debug' | 'error' | 'info' | 'log' | 'warn'): void => {
  console[method] = new Proxy(console[method], {
    apply: (log, self, args) => {
      written.push(format(...args))
      return Reflect.apply(log, self, args)
    },
  })
}

watchStream(process.stdout)
watchStream(process.stderr)
for (const method of ['debug', 'error', 'info', 'log', 'warn'] as const) watchConsole(method)

afterAll(() => {
  expect(findLeaks(written.join('\n')), 'secrets in what these tests wrote').toEqual([])
})
