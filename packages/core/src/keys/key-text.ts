import { createPrivateKey, createPublicKey } from 'node:crypto'

/**
 * Whether bytes that were given as a secret are a key of a key pair, in PEM, as a JWK, as OpenSSH writes it, or in DER, also when all of
 * it is written in base64, in hexadecimal or in UTF-16. A public key that serves as a secret is one that everybody knows (key
 * confusion, RFC 8725, section 2.1); a private key is one that should sign under another algorithm.
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

// DER of a key begins with a sequence (X.690, section 8.9); OpenSSL takes long to say no to anything else.
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
