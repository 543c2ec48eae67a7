import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import {
  conformanceCases,
  failureCases,
  interruptionCases,
  runConformance,
  sharingCases,
  waitingCases,
} from '../src/index.js'
import { exampleStorage } from './support/example-storage.js'

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')

describe('the guide for authors of adapters', () => {
  it('shows the skeleton that compiles here', async () => {
    const skeleton = await read('./support/example-storage.ts')
    expect(await read('../../../docs/writing-an-adapter.md')).toContain(`\`\`\`ts\n${skeleton}\`\`\``)
  })

  it('names cases that there are', async () => {
    const guide = await read('../../../docs/writing-an-adapter.md')
    const named = [...guide.matchAll(/\| “(.+?)” \|/g)].map(([, title]) => title)
    const titles = [...conformanceCases, ...failureCases, ...interruptionCases, ...waitingCases, ...sharingCases].map(
      ({ title }) => title,
    )
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((title) => title === undefined || !titles.includes(title))).toEqual([])
  })

  it('starts from a skeleton that the kit does not let pass', async () => {
    const { isConformant, results } = await runConformance(() => exampleStorage({}))
    expect(isConformant).toBe(false)
    expect(results.filter(({ outcome }) => outcome === 'broken').length).toBeGreaterThan(50)
  })
})
