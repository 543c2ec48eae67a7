import { readFileSync } from 'node:fs'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { publishedFailures } from '../../src/model/cases/published-failures.js'
import { createSubject } from '../../src/model/model-instance.js'

const page = readFileSync(new URL('../../../../docs/reliability-tests.md', import.meta.url), 'utf8').replaceAll(
  /\n +/g,
  ' ',
)

describe('it does not happen that', () => {
  for (const { name, run } of publishedFailures) {
    it(name, () => run(createSubject(() => memoryStorage({ quiet: true }))))
  }
})

describe('the list of published failures in docs/reliability-tests.md', () => {
  it.each(publishedFailures.map(({ name }, place) => [name, place + 1] as const))('includes: %s', (name, number) => {
    expect(page).toContain(`${number}. ${name}\n`)
  })
})
