import type { SessionKey, UpdateKeys } from '../../src/dpop.js'

/** Keeps keys in memory, for all tabs of one browser. */
export const keepKeysInMemory = () => {
  let stored: readonly SessionKey[] = []
  const updateKeys: UpdateKeys = async (_, change) => {
    stored = change(stored)
  }
  return { updateKeys, thumbprints: () => stored.map(({ thumbprint }) => thumbprint) }
}
