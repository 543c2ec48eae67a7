import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'reference-'))

afterAll(() => rmSync(folder, { recursive: true }))

describe('docs/reference', () => {
  it('has the doc comment of every option and code; `npm run reference` updates the pages', () => {
    execFileSync(process.execPath, ['scripts/reference.mjs', folder], { cwd: root })
    for (const page of ['options.md', 'errors.md']) {
      expect(readFileSync(`${root}docs/reference/${page}`, 'utf8')).toBe(readFileSync(join(folder, page), 'utf8'))
    }
  })
})
