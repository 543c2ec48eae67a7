import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'reference-'))

afterAll(() => rmSync(folder, { recursive: true }))

describe('docs/reference', () => {
  it('is what the sources say; `npm run reference` updates the pages', () => {
    const loader = ['--conditions=@jwt-auth/source', '--import', 'tsx']
    execFileSync(process.execPath, [...loader, 'scripts/reference.mjs', folder], { cwd: root })
    const pages = readdirSync(folder)
    expect(pages).toHaveLength(5)
    for (const page of pages) {
      expect(readFileSync(`${root}docs/reference/${page}`, 'utf8')).toBe(readFileSync(join(folder, page), 'utf8'))
    }
  })
})
