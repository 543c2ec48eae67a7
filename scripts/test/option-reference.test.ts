import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

describe('docs/reference/options.md', () => {
  it('has the doc comment of every option; `npm run options` updates the page', () => {
    const page = execFileSync(process.execPath, ['scripts/option-reference.mjs'], { cwd: root, encoding: 'utf8' })
    expect(readFileSync(`${root}docs/reference/options.md`, 'utf8')).toBe(page)
  })
})
