import { conformanceCases } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { watchWarnings } from '@jwt-auth/test-support/recorders'
import { describe, expect, it } from 'vitest'

const warnings = watchWarnings('JWT_AUTH_MEMORY_STORAGE')

describe('memory storage', () => {
  const createStorage = () => memoryStorage({ quiet: true })
  const createHeldStorage = () => [createStorage(), 'nothing-to-hold'] as const
  for (const { title, run } of conformanceCases({ createStorage, createHeldStorage })) it(title, run)

  it.each([
    [{ quite: true }, 'jwt-auth: memoryStorage has no option `quite`'],
    [{ quiet: 'yes' }, 'jwt-auth: option `memoryStorage.quiet` must be true or false'],
  ])('refuses the options %o', (options, message) => {
    expect(() => Reflect.apply(memoryStorage, undefined, [options])).toThrow(message)
  })

  it('warns once for each process that sessions end with it', () => {
    memoryStorage({ quiet: true })
    expect(warnings()).toEqual([])
    memoryStorage()
    memoryStorage()
    expect(warnings()).toEqual([
      [
        'jwt-auth: sessions are kept in this process and end with it; use another storage in production.',
        { type: 'JwtAuthWarning', code: 'JWT_AUTH_MEMORY_STORAGE' },
      ],
    ])
  })
})
