import { conformanceCases } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it, vi } from 'vitest'

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

  it('warns once for each process that sessions end with it', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    // Other test files of this process may have caused the warning already. A module that is
    // imported again knows nothing of it.
    vi.resetModules()
    const fresh = await import('@jwt-auth/storage-memory')
    fresh.memoryStorage({ quiet: true })
    fresh.memoryStorage()
    fresh.memoryStorage()
    expect(emitWarning.mock.calls.map(([message]) => message)).toEqual([
      'Sessions are kept in this process and end with it; use another storage in production.',
    ])
    emitWarning.mockRestore()
  })
})
