import { createPrivateKey, createPublicKey } from 'node:crypto'

/**
 * Returns whether a secret is a key of a key pair: in PEM, as a JWK, in the format of OpenSSH, or in DER, also when all of it is encoded in base64,
 * hexadecimal or UTF-16. Everybody knows a public key, so that everybody could sign with it (key confusion, RFC 8725, section 2.1).
 */
export const isKeyText = (bytes: Buffer): boolean => {
  const text = bytes.toString('latin1')
  const readings = [
    bytes,
    Buffer.from(text, 'base64'),
    Buffer.from(text.trim(), 'hex'),
    Buffer.from(bytes.toString('utf16le'), 'latin1'),
  ]
  return readings.some((reading) => isMarked(reading) || isDer(reading))
}

const marks = [/-----BEGIN /, /^\s*\{.*"kty"/s, /^\s*(ssh-|ecdsa-sha2-)/]

const isMarked = (bytes: Buffer): boolean => {
  const text = bytes.toString('latin1')
  return marks.some((mark) => mark.test(text))
}

// The DER of a key begins with a sequence (X.690, section 8.9). OpenSSL is slow to refuse other bytes.
const derSequence = 0x30

const isDer = (key: Buffer): boolean => key[0] === derSequence && (isPublicDer(key) || isPrivateDer(key))

const isPublicDer = (key: Buffer): boolean =>
  (['spki', 'pkcs1'] as const).some((type) => canBeMade(() => createPublicKey({ key, format: 'der', type })))

const isPrivateDer = (key: Buffer): boolean =>
  (['pkcs8', 'sec1'] as const).some((type) => canBeMade(() => createPrivateKey({ key, format: 'der', type })))

const canBeMade = (make: () => unknown): boolean => {
  try {
    make()
    return true
  } catch {
    return false
  }
}
