import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { publishedFailures } from '../../src/model/cases/published-failures.js'
import { buildSubject } from '../../src/mutations/build-subject.js'
import { plantedBugs } from '../../src/mutations/planted-bugs.js'
import { whatCatches } from '../../src/mutations/what-catches.js'

const page = readFileSync(new URL('../../../../docs/reliability.md', import.meta.url), 'utf8')

describe('a planted bug', () => {
  for (const bug of plantedBugs) {
    it(`is caught: ${bug.name}`, async () => {
      const { isCaughtByModel, cases } = await whatCatches(bug)
      expect(isCaughtByModel || cases.length > 0).toBe(true)
      expect(page).toContain(`| ${bug.name} | ${isCaughtByModel ? 'yes' : 'rarely'} | ${cases.join(', ')} |`)
    })
  }

  it('has to stand in the source as it is now', async () => {
    const bug = { name: 'nothing', file: 'core/src/system.ts', edits: [['no such piece', '']] } as const
    await expect(buildSubject(bug)).rejects.toThrow('“no such piece” is not there exactly once')
  })
})

describe('the list of published failures in the docs', () => {
  for (const [place, { name }] of publishedFailures.entries()) {
    it(`holds ${name}`, () => {
      expect(page).toContain(`${place + 1}. ${name}\n`)
    })
  }
})
