import { createHmac, type KeyObject } from 'node:crypto'

/** Derives a secret for another purpose from a secret or a private key. All instances with the key derive the same one, and it reveals nothing about the key. */
export const deriveSecret = ({ key }: { readonly key: KeyObject }, purpose: string): Buffer => {
  const bytes = key.type === 'secret' ? key.export() : key.export({ type: 'pkcs8', format: 'der' })
  // A purpose contains no dot, so that it is the signing input of no token.
  return createHmac('sha256', bytes).update(purpose).digest()
}

/** Derives the secret of the service from which refresh tokens are derived (docs/decisions/0002). */
export const deriveServiceSecret = (key: { readonly key: KeyObject }): Buffer => deriveSecret(key, 'jwt-auth refresh')

/** Derives the secret under which attempts are counted (docs/decisions/0029). User 1 of one issuer is not user 1 of another. */
export const deriveLimitSecret = (serviceSecret: Buffer, issuer: string): Buffer =>
  createHmac('sha256', serviceSecret).update(`jwt-auth rate limits\0${issuer}`).digest()
