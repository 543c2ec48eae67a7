import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'

const page = await readFile(new URL('../../../docs/frameworks.md', import.meta.url), 'utf8')
const folder = new URL('../src/', import.meta.url)

const blocks = [...page.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)].map(
  ([, file = '', code = '']): [string, string] => [file, code],
)

const withoutIndent = (code: string): string => code.replaceAll(/^ +/gm, '')

describe('the page on frameworks', () => {
  it('names the program of every block', () => {
    expect(blocks.length).toBe([...page.matchAll(/^```ts$/gm)].length)
  })

  it.each(blocks.map(([file, code], number): [number, string, string] => [number + 1, file, code]))(
    'shows lines of the tested program, in block %i: %s',
    async (_, file, code) => {
      expect(withoutIndent(await readFile(new URL(file, folder), 'utf8'))).toContain(withoutIndent(code))
    },
  )

  it('links every program', async () => {
    const linked = [...page.matchAll(/examples\/frameworks\/src\/([\w-]+\.ts)/g)].map(([, file]) => file)
    expect([...new Set(linked)].toSorted()).toEqual((await readdir(folder)).toSorted())
  })
})
