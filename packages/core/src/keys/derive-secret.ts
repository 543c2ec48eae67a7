import { createHmac } from 'node:crypto'
import type { SigningKey } from './ring-key.js'

/** A secret for another purpose than signing: all instances with the key have the same, and it says nothing about the key. */
export const deriveSecret = ({ key }: Pick<SigningKey, 'key'>, purpose: string): Buffer => {
  const bytes = key.type === 'secret' ? key.export() : key.export({ type: 'pkcs8', format: 'der' })
  // A purpose holds no dot, and so is no token's signing input.
  return createHmac('sha256', bytes).update(purpose).digest()
}
