import { createHmac } from 'node:crypto'
import type { SigningKey } from './ring-key.js'

/** Derives a secret for another purpose than signing. All instances with the key derive the same secret, which reveals nothing about the key. */
export const deriveSecret = ({ key }: Pick<SigningKey, 'key'>, purpose: string): Buffer => {
  const bytes = key.type === 'secret' ? key.export() : key.export({ type: 'pkcs8', format: 'der' })
  // A purpose holds no dot, and so is no token's signing input.
  return createHmac('sha256', bytes).update(purpose).digest()
}

/** Derives the secret of the service from which refresh tokens are derived (docs/decisions/0002). */
export const deriveServiceSecret = (key: Pick<SigningKey, 'key'>): Buffer => deriveSecret(key, 'jwt-auth refresh')
