import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { encodePart } from './token-forger.js'

/** A key of a client, which signs proofs (RFC 9449). */
export type DpopProver = ReturnType<typeof createProver>

let count = 0

/** Creates a key. */
export const createProver = (algorithm: 'ES256' | 'EdDSA' = 'ES256') => {
  const { privateKey, publicKey } =
    algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' })
  const { crv, kty, x, y } = jwk
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  return {
    privateKey,
    /** The public key, with the members that a thumbprint covers. */
    jwk,
    /** The RFC 7638 thumbprint of the key. */
    thumbprint,
    /**
     * Signs a proof, with a new `jti` and the hash of the access token by default. Changes of the
     * header or the claims that are `undefined` omit a member.
     */
    prove: (
      { accessToken, ...claims }: Readonly<Record<string, unknown>> & { readonly accessToken?: string },
      header: Readonly<Record<string, unknown>> = {},
    ): string => {
      count += 1
      const ath = accessToken === undefined ? {} : { ath: toHash(accessToken) }
      const payload = { jti: `proof-${count}`, ...ath, ...claims }
      return signProof({ header: { typ: 'dpop+jwt', alg: algorithm, jwk, ...header }, payload }, privateKey)
    },
  }
}

/** Signs the parts of a proof. */
export const signProof = (
  { header, payload }: { readonly header: object | string; readonly payload: object | string },
  privateKey: KeyObject,
): string => {
  const input = `${encodePart(header)}.${encodePart(payload)}`
  const hash = privateKey.asymmetricKeyType === 'ed25519' ? undefined : 'sha256'
  const signature = sign(hash, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

const toHash = (text: string): string => createHash('sha256').update(text).digest('base64url')
