import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

it('the page on frameworks links every program', async () => {
  const page = await readFile(new URL('../../../docs/frameworks.md', import.meta.url), 'utf8')
  const linked = [...page.matchAll(/examples\/frameworks\/src\/([\w-]+\.ts)/g)].map(([, file]) => file)
  expect([...new Set(linked)].toSorted()).toEqual((await readdir(new URL('../src/', import.meta.url))).toSorted())
})
