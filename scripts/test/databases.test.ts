import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const [report, suites] = ['report', 'suites'].map((name) =>
  fileURLToPath(new URL(`../databases/${name}.mjs`, import.meta.url)),
)

/** Runs a module in a process of its own, and parses what it writes. */
const run = (program: string, ...args: readonly string[]) => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program, ...args])
  return JSON.parse(String(stdout))
}

const tell = (rows: readonly object[]): { readonly table: string; readonly usable: readonly boolean[] } =>
  run(
    `import { isUsable, toTable } from ${JSON.stringify(report)}
const rows = JSON.parse(process.argv[1])
console.log(JSON.stringify({ table: toTable(rows), usable: rows.map(isUsable) }))`,
    JSON.stringify(rows),
  )

const suite = (passed: number, failed = 0, skipped = 0) => ({ passed, failed, skipped })

describe('the matrix of databases', () => {
  it('has a row for each database, and lists the skipped databases again below', () => {
    const counts = { conformance: suite(9), limits: suite(3, 1, 2), others: suite(5) }
    const { table, usable } = tell([
      { name: 'Redis (8.0)', counts, failure: 'one test failed' },
      { name: 'MySQL', unavailable: 'its mirror lacks mysql-server-core' },
      { name: 'MariaDB', failure: 'it ended' },
    ])
    expect(table).toBe(`| Store | conformance | deadlines | migrations | limits | explain | others |
|---|---|---|---|---|---|---|
| Redis (8.0) | 9 passed | – | – | 3 passed, 2 skipped, **1 failed** | – | 5 passed |
| MySQL | **SKIPPED** | **SKIPPED** | **SKIPPED** | **SKIPPED** | **SKIPPED** | **SKIPPED** |
| MariaDB | **failed** | **failed** | **failed** | **failed** | **failed** | **failed** |

SKIPPED  MySQL: its mirror lacks mysql-server-core
`)
    expect(usable).toEqual([false, true, false])
  })

  it('counts only test files that exist', () => {
    const files: readonly string[] = run(
      `import { suites } from ${JSON.stringify(suites)}\nconsole.log(JSON.stringify(Object.values(suites).flat()))`,
    )
    const root = fileURLToPath(new URL('../..', import.meta.url))

    expect(files.length).toBeGreaterThan(15)
    expect(files.filter((file) => !existsSync(join(root, `${file}.test.ts`)))).toEqual([])
  })
})
