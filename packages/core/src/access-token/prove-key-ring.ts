import type { KeyRing } from '../keys/key-ring.js'
import type { VerificationKey } from '../keys/ring-key.js'
import type { Signer } from '../keys/signer.js'
import { isSignedBy } from './check-signature.js'
import { accessTokenType, type JwsParts, readHeader, readJwsParts } from './compact-jws.js'

// Claims that no access token has. `iat` keeps jsonwebtoken from reading a clock to add its own.
const probe = { iat: 1, probe: 'ü' }

/**
 * Tries a ring with its signer before either is used: what the active key signs must be read as it was meant, be found good, and
 * be found bad once a bit of it has changed. Returns the ring. Throws a `TypeError` for a private key beside the public key of
 * another, and for a signer that signs something else, answers with promises, or finds everything good.
 */
export const proveKeyRing = (ring: KeyRing, signer: Signer): KeyRing => {
  const token: unknown = signer.sign(probe, ring.active, accessTokenType)
  const jws = typeof token === 'string' ? readJwsParts(token) : undefined
  const key = ring.find(ring.active.kid)
  if (key === undefined || jws === undefined || !isProbe(jws, key)) {
    throw new TypeError(
      'jwt-auth: option `signer` signs something else; `sign` must return, and not as a promise, a compact JWS of the claims it was given with the header { alg, typ, kid } and no more.',
    )
  }
  const { algorithm: alg } = key
  if (!isSignedBy(jws, { alg, key, signer })) {
    throw new TypeError(
      'jwt-auth: the active key signs what does not verify: its public part is of another key, or `isSignedBy` of option `signer` does not answer `true`; give a key pair that belongs together.',
    )
  }
  if (isSignedBy(forge(jws), { alg, key, signer })) {
    throw new TypeError('jwt-auth: option `signer` finds a forged signature good; use another.')
  }
  return ring
}

const isProbe = ({ header, payload }: JwsParts, key: VerificationKey): boolean => {
  const { alg, kid } = readHeader(header) ?? {}
  return alg === key.algorithm && kid === key.kid && decode(payload) === JSON.stringify(probe)
}

const decode = (part: string): string => Buffer.from(part, 'base64url').toString('utf8')

/** The same token with one bit of its signature turned. */
const forge = (jws: JwsParts): JwsParts => {
  const turned = Buffer.from(jws.signature, 'base64url')
  turned.writeUInt8(turned.readUInt8(0) ^ 1, 0)
  const signature = turned.toString('base64url')
  return { ...jws, signature, token: `${jws.header}.${jws.payload}.${signature}` }
}
