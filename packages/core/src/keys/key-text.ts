import { createPublicKey } from 'node:crypto'

/**
 * Whether bytes that were given as a secret are a key of a key pair, in PEM, as a JWK, as OpenSSH writes it, or in DER, with or
 * without base64. A public key that serves as a secret is one that everybody knows (key confusion, RFC 8725, section 2.1);
 * a private key is one that should sign under another algorithm.
 */
export const isKeyText = (bytes: Buffer): boolean => {
  const text = bytes.toString('latin1')
  return marks.some((mark) => mark.test(text)) || [bytes, Buffer.from(text, 'base64')].some(isDer)
}

const marks = [/-----BEGIN /, /^\s*\{.*"kty"/s, /^(ssh-|ecdsa-sha2-)/]

const isDer = (key: Buffer): boolean => (['spki', 'pkcs1'] as const).some((type) => isPublicKey(key, type))

const isPublicKey = (key: Buffer, type: 'spki' | 'pkcs1'): boolean => {
  try {
    createPublicKey({ key, format: 'der', type })
    return true
  } catch {
    return false
  }
}
