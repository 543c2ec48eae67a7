import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

export const toPem = (key: KeyObject): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString()

// Node.js 20 can hang when it exports a generated key as a JWK (see `read-key-pair.ts`). Tests export these keys.
const copy = (key: KeyObject): KeyObject => createPrivateKey(toPem(key))

const ec = (namedCurve: string): KeyObject => copy(generateKeyPairSync('ec', { namedCurve }).privateKey)

/** Generates an RSA key of this many bits; 2,048 bits take a fifth of a second. */
export const makeRsaKey = (modulusLength = 2_048, publicExponent = 65_537): KeyObject =>
  copy(generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey)

let rsaKey: KeyObject | undefined

/** Private keys, generated once in each process. */
export const testKeys = {
  p256: ec('P-256'),
  otherP256: ec('P-256'),
  p384: ec('P-384'),
  p521: ec('P-521'),
  get rsa(): KeyObject {
    rsaKey ??= makeRsaKey()
    return rsaKey
  },
}
