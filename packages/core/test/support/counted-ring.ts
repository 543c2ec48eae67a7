import type { KeyRing } from '../../src/keys/key-ring.js'

/** A ring that records the signing input of every signature that its keys check. */
export const createCountedRing = (
  ring: KeyRing,
): { readonly keyRing: KeyRing; readonly checked: readonly string[] } => {
  const checked: string[] = []
  const keys = new Map(
    [...ring.keys].map(([kid, key]) => {
      const isValid = (signingInput: string, signature: Buffer) => {
        checked.push(signingInput)
        return key.isValid(signingInput, signature)
      }
      return [kid, { ...key, isValid }]
    }),
  )
  return { keyRing: { ...ring, keys }, checked }
}
