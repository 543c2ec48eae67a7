import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)

describe('a page of docs/reference', () => {
  it.each(readdirSync(new URL('docs/reference', root)))(
    'is what the sources say; `npm run reference` updates %s',
    async (page) => {
      const [text] = Object.values(await import(new URL(`scripts/reference/${page.replace(/md$/, 'mjs')}`, root).href))
      expect(readFileSync(new URL(`docs/reference/${page}`, root), 'utf8')).toBe(text)
    },
  )
})
