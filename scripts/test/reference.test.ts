import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
// Without the API of the packages, which only the site has, and the page that other commands write.
const pages = readdirSync(new URL('docs/reference', root)).filter(
  (name) => name.endsWith('.md') && name !== 'measurements.md',
)

describe('a page of docs/reference', () => {
  it.each(pages)('is what the sources say; `npm run reference` updates %s', async (page) => {
    const [text] = Object.values(await import(new URL(`scripts/reference/${page.replace(/md$/, 'mjs')}`, root).href))
    expect(readFileSync(new URL(`docs/reference/${page}`, root), 'utf8')).toBe(text)
  })
})
