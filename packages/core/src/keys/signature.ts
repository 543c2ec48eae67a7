import { constants, createHmac, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import type { Algorithm } from './algorithm.js'

/**
 * Returns whether a signature over a signing input (RFC 7515, section 5.2) is valid. The signature has the length of the key's
 * signatures.
 */
export type CheckSignature = (signingInput: string, signature: Buffer) => boolean

/** Creates the function that checks the signatures of one key under its algorithm. */
export const createSignatureCheck = (algorithm: Algorithm, key: KeyObject): CheckSignature => {
  const hash = toHash(algorithm)
  if (hash !== undefined && algorithm.startsWith('HS')) {
    return (input, signature) => timingSafeEqual(createHmac(hash, key).update(input).digest(), signature)
  }
  const publicKey = { key, ...toParameters(algorithm) }
  return (input, signature) => verify(hash, Buffer.from(input), publicKey, signature)
}

/**
 * Signs with a private key. Returns the format of JWS: R and S of an ECDSA signature stand side by side (RFC 7518, section 3.4).
 */
export const signWithPrivateKey = (algorithm: Algorithm, key: KeyObject, signingInput: string): Buffer =>
  sign(toHash(algorithm), Buffer.from(signingInput), { key, ...toParameters(algorithm) })

// EdDSA hashes by itself (RFC 8032, section 5.1.6).
const toHash = (algorithm: Algorithm): string | undefined =>
  algorithm === 'EdDSA' ? undefined : `sha${algorithm.slice(2)}`

// RFC 7518, sections 3.3 to 3.5. An RSA key without parameters signs with RSASSA-PKCS1-v1_5.
const toParameters = (algorithm: Algorithm) => {
  if (algorithm.startsWith('PS')) {
    return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  }
  return { dsaEncoding: 'ieee-p1363' } as const
}

const sequence = 0x30
const integer = 0x02

/**
 * Converts an ECDSA signature in DER (RFC 3279, section 2.2.3) to the format of JWS: R and S side by side, each of half the given
 * length (RFC 7518, section 3.4). Returns `undefined` for anything else.
 */
export const fromDerSignature = (der: Buffer, signatureBytes: number): Buffer | undefined => {
  const body = readElement(der, sequence)
  const first = body && readElement(body.content, integer)
  const second = first && readElement(first.rest, integer)
  if (body === undefined || first === undefined || second === undefined) return undefined
  if (body.rest.length > 0 || second.rest.length > 0) return undefined
  const parts = [first, second].map(({ content }) => toFixedLength(content, signatureBytes / 2))
  const signature = Buffer.concat(parts)
  return signature.length === signatureBytes ? signature : undefined
}

// Reads one element of at most 255 bytes, which is enough for the signatures of all curves (X.690, section 8.1.3).
const readElement = (bytes: Buffer, tag: number): { readonly content: Buffer; readonly rest: Buffer } | undefined => {
  const isLong = bytes[1] === 0x81
  const start = isLong ? 3 : 2
  const length = bytes[start - 1]
  if (bytes[0] !== tag || length === undefined || (!isLong && length > 0x7f)) return undefined
  const end = start + length
  return end > bytes.length ? undefined : { content: bytes.subarray(start, end), rest: bytes.subarray(end) }
}

// Removes the sign byte of an integer, or restores its leading zeros.
const toFixedLength = (number: Buffer, length: number): Buffer => {
  const magnitude = number[0] === 0 ? number.subarray(1) : number
  return Buffer.concat([Buffer.alloc(Math.max(0, length - magnitude.length)), magnitude])
}
