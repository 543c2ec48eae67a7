import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const namesIn = (path: string, pattern: RegExp): readonly string[] =>
  [...readFileSync(new URL(path, import.meta.url), 'utf8').matchAll(pattern)].map(([, name = '']) => name).toSorted()

it('the README lists every metric', () => {
  const created = namesIn('../src/call-metrics.ts', /'(jwt_auth\.[\w.]+)'/g)
  expect(namesIn('../README.md', /^\| `(jwt_auth\.[\w.]+)`/gm)).toEqual(
    created.filter((name) => name !== 'jwt_auth.code'),
  )
})
