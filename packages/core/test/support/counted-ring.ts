import type { KeyRing } from '../../src/keys/key-ring.js'

/** A ring that records the signing input of every signature that its keys check. */
export const createCountedRing = (
  ring: KeyRing,
): { readonly keyRing: KeyRing; readonly checked: readonly string[] } => {
  const checked: string[] = []
  const verificationKeys = ring.verificationKeys.map((key) => ({
    ...key,
    isValid: (signingInput: string, signature: Buffer) => {
      checked.push(signingInput)
      return key.isValid(signingInput, signature)
    },
  }))
  const find = (kid: string) => verificationKeys.find((key) => key.kid === kid)
  return { keyRing: { ...ring, find, verificationKeys }, checked }
}
