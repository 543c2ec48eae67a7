import { createTokenService } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, it } from 'vitest'
import { publishedFailures } from '../../src/model/cases/published-failures.js'

describe('it does not happen that', () => {
  for (const { name, run } of publishedFailures) {
    it(name, () => run({ createTokenService, createStorage: () => memoryStorage({ quiet: true }) }))
  }
})
