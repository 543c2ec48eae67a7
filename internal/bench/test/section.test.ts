import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { comparisons } from '../src/comparisons.js'
import { putSection, toSection } from '../src/report/section.js'

describe('a section of the report', () => {
  it('has the method, the circumstances, the tables and the goals', () => {
    const section = toSection(
      { name: 'x', summary: '', method: 'A method.', run: async () => ({ tables: [], goals: [] }) },
      {
        tables: [{ caption: 'Figures:', head: ['', 'µs'], rows: [['bare', '12.0']] }],
        goals: [
          { what: 'a time', sign: '≤', limit: 2, measured: [1, 3, 2] },
          { what: 'a part', sign: '≥', limit: 0.5, measured: [0.4] },
        ],
      },
      { command: 'npm run bench -- x', rounds: 3, nodeVersion: '20.0.0', cores: 2, date: new Date(0) },
    )
    expect(section).toBe(`A method.

\`npm run bench -- x\`: 3 rounds, Node 20.0.0, 2 cores, 1970-01-01.

Figures:

|  | µs |
|---|--:|
| bare | 12.0 |

Goals:

| Goal | target | measured | result |
|---|--:|--:|--:|
| a time | ≤ 2 | 2 (1.50–2.50) | reached |
| a part | ≥ 0.5 | 0.400 | missed |`)
  })

  it('breaks the method into lines of at most 130 characters', () => {
    const section = toSection(
      { name: 'x', summary: '', method: 'ten chars '.repeat(30).trim(), run: async () => ({ tables: [], goals: [] }) },
      { tables: [], goals: [] },
      { command: 'x', rounds: 1, nodeVersion: '20.0.0', cores: 2, date: new Date(0) },
    )
    const [method = ''] = section.split('\n\n')
    expect(method.split('\n').map(({ length }) => length)).toEqual([129, 129, 39])
  })

  it('replaces the text between its marks only', () => {
    const document = 'a\n<!-- bench:x -->\nold\n<!-- /bench:x -->\nb <!-- bench:y --><!-- /bench:y -->'
    expect(putSection(document, 'x', 'new')).toBe(
      'a\n<!-- bench:x -->\nnew\n<!-- /bench:x -->\nb <!-- bench:y --><!-- /bench:y -->',
    )
  })

  it('needs its marks', () => {
    expect(() => putSection('nothing', 'x', 'new')).toThrow('no place for x')
  })

  it.each(comparisons.map(({ name }) => name))('has a place in docs/performance.md: %s', (name) => {
    const document = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8')
    expect(() => putSection(document, name, '')).not.toThrow()
  })
})
