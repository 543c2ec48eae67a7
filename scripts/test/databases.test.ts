import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

describe('the tests on other databases', () => {
  it('are in files that exist', () => {
    const suites = new URL('../databases/suites.mjs', import.meta.url).href
    const program = `import { kinds } from '${suites}'
console.log(JSON.stringify(Object.values(kinds).flatMap(({ files }) => files)))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program])
    const files: readonly string[] = JSON.parse(String(stdout))
    const root = fileURLToPath(new URL('../../', import.meta.url))

    expect(files.length).toBeGreaterThan(15)
    expect(files.filter((file) => !existsSync(root + file))).toEqual([])
  })
})
