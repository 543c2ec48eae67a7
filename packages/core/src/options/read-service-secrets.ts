import { deriveServiceSecret } from '../keys/derive-secret.js'
import type { ServiceSecrets } from '../keys/key-ring.js'
import { readSecret } from '../keys/read-secret.js'
import { wrongKey } from '../keys/wrong-key.js'

/** Reads the option `serviceSecret`; `undefined` when the signing keys take its place. */
export const readServiceSecrets = (serviceSecret: unknown): ServiceSecrets | undefined => {
  if (serviceSecret === undefined) return undefined
  if (!Array.isArray(serviceSecret)) return [readOne('serviceSecret', serviceSecret)]
  const [first, ...others] = serviceSecret.map((one: unknown, position) => readOne(`serviceSecret[${position}]`, one))
  if (first !== undefined) return [first, ...others]
  throw wrongKey('serviceSecret', 'is an empty list', 'give at least one secret.')
}

const readOne = (name: string, secret: unknown): Buffer =>
  deriveServiceSecret(readSecret(name, secret, 'HS256').signing)
