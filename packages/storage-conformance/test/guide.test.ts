import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { runConformance } from '../src/index.js'
import { exampleStorage } from './support/example-storage.js'

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')

describe('docs/writing-an-adapter.md', () => {
  it('contains the skeleton that this package compiles', async () => {
    const skeleton = await read('./support/example-storage.ts')
    expect(await read('../../../docs/writing-an-adapter.md')).toContain(`\`\`\`ts\n${skeleton}\`\`\``)
  })

  it('shows a skeleton that fails the suite', async () => {
    const { isConformant, results } = await runConformance({ createStorage: () => exampleStorage({}) })
    expect(isConformant).toBe(false)
    expect(results.filter(({ outcome }) => outcome === 'failed').length).toBeGreaterThan(50)
  })
})
