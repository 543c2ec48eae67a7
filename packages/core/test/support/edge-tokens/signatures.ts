import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { encodePart } from '@jwt-auth/test-support/token-forger'
import { forgeToken } from '../forged-token.js'
import {
  edgeClaims,
  edgeHeader,
  edwardsPrivateKey,
  edwardsRing,
  endAt,
  pairPrivateKey,
  pairRing,
} from './edge-token.js'

const validToken = forgeToken({ header: edgeHeader, payload: edgeClaims })
const [header = '', payload = '', signature = ''] = validToken.split('.')
const otherSecret = 'Z9_another-secret-of-a-valid-length-4711'
const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
const changedPayload = encodePart({ ...edgeClaims, sub: '2', data: { user: { id: 2 } } })
const signedByOther = (claims: object | string): string =>
  forgeToken({ header: edgeHeader, payload: claims }, 'sha256', otherSecret)

/** Valid and invalid signatures of a secret. */
export const signatures = [
  ...endAt('signature', [
    ['made with another key', signedByOther(edgeClaims)],
    ['made with another key, and expired', signedByOther({ ...edgeClaims, exp: 1 })],
    ['made with another key, with an array as payload', signedByOther('[]')],
    ['made with another key, with invalid JSON as payload', signedByOther('{{{')],
    ['made with an empty key', forgeToken({ header: edgeHeader, payload: edgeClaims }, 'sha256', '')],
    ['the first character changed', `${header}.${payload}.${flipped}`],
    ['made for another payload', `${header}.${changedPayload}.${signature}`],
    ['only zeros', `${header}.${payload}.${Buffer.alloc(32).toString('base64url')}`],
  ]),
  ...endAt('key', [
    ['HMAC-SHA-384, which is longer', forgeToken({ header: edgeHeader, payload: edgeClaims }, 'sha384')],
    ['truncated', `${header}.${payload}.${signature.slice(0, -3)}`],
    ['one byte', `${header}.${payload}.AA`],
  ]),
]

const { kid } = pairRing.active
const pairHeader = { alg: 'ES256', typ: 'at+jwt', kid }
const publicKey = createPublicKey(pairPrivateKey)

const signInput = (input: string, key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Buffer =>
  sign('sha256', Buffer.from(input), { key, dsaEncoding })

const pairToken = (claims: object, makeSignature: (input: string) => Buffer, alg = 'ES256'): string => {
  const input = `${encodePart({ ...pairHeader, alg })}.${encodePart(claims)}`
  return `${input}.${makeSignature(input).toString('base64url')}`
}

const signPair = (input: string): Buffer => signInput(input, pairPrivateKey)

/** Creates a token of a key confusion attack: the public key, which is known to everyone, is the HMAC secret. */
const confused = (secret: string | Buffer, alg = 'HS256'): string =>
  pairToken(edgeClaims, (input) => createHmac('sha256', secret).update(input).digest(), alg)

/** Valid and invalid signatures of a key pair. */
export const pairSignatures = [
  ...endAt('accepted', [['a valid token', pairToken(edgeClaims, signPair)]]),
  ...endAt('key', [
    ['HS256 with the public key as PEM', confused(publicKey.export({ type: 'spki', format: 'pem' }))],
    ['HS256 with the public key as DER', confused(publicKey.export({ type: 'spki', format: 'der' }))],
    ['HS256 with the public key as JWK', confused(JSON.stringify(publicKey.export({ format: 'jwk' })))],
    ['`alg` none next to a valid signature', pairToken(edgeClaims, signPair, 'none')],
    ['`alg` ES384 next to a valid signature', pairToken(edgeClaims, signPair, 'ES384')],
    ['`alg` RS256', pairToken(edgeClaims, signPair, 'RS256')],
    ['the signature in DER', pairToken(edgeClaims, (input) => signInput(input, pairPrivateKey, 'der'))],
    ['63 bytes', pairToken(edgeClaims, (input) => signPair(input).subarray(1))],
    ['65 bytes', pairToken(edgeClaims, (input) => Buffer.concat([signPair(input), Buffer.alloc(1)]))],
    ['`alg` ES256 with an HMAC as the signature', confused(publicKey.export({ type: 'spki', format: 'pem' }), 'ES256')],
  ]),
  ...endAt('signature', [
    ['r and s zero (CVE-2022-21449)', pairToken(edgeClaims, () => Buffer.alloc(64))],
    ['r and s above the group order', pairToken(edgeClaims, () => Buffer.alloc(64, 0xff))],
    [
      'made for another payload',
      pairToken({ ...edgeClaims, sub: '2' }, () => signPair(`${encodePart(pairHeader)}.AAAA`)),
    ],
  ]),
]

const edwardsHeader = { alg: 'EdDSA', typ: 'at+jwt', kid: edwardsRing.active.kid }
const edwardsPublicKey = createPublicKey(edwardsPrivateKey)

const edwardsToken = (makeSignature: (input: string) => Buffer, alg = 'EdDSA'): string => {
  const input = `${encodePart({ ...edwardsHeader, alg })}.${encodePart(edgeClaims)}`
  return `${input}.${makeSignature(input).toString('base64url')}`
}

const signEdwards = (input: string): Buffer => sign(null, Buffer.from(input), edwardsPrivateKey)

/** The order of the base point (RFC 8032, section 5.1). */
const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

/** Adds the order to S, which does not change the equation (RFC 8032, section 8.4). */
const malleate = (signature: Buffer): Buffer => {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order
  const sum = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()
  return Buffer.concat([signature.subarray(0, 32), sum])
}

/** Valid and invalid signatures of Ed25519. */
export const edwardsSignatures = [
  ...endAt('accepted', [['a valid token', edwardsToken(signEdwards)]]),
  ...endAt('key', [
    ['HS256 with the public key as PEM', confusedEdwards()],
    ['`alg` ES256 next to a valid signature', edwardsToken(signEdwards, 'ES256')],
    ['`alg` Ed25519 next to a valid signature', edwardsToken(signEdwards, 'Ed25519')],
    ['`alg` in lower case', edwardsToken(signEdwards, 'eddsa')],
    ['63 bytes', edwardsToken((input) => signEdwards(input).subarray(1))],
    ['65 bytes', edwardsToken((input) => Buffer.concat([signEdwards(input), Buffer.alloc(1)]))],
  ]),
  ...endAt('signature', [
    ['only zeros', edwardsToken(() => Buffer.alloc(64))],
    ['the group order added to S', edwardsToken((input) => malleate(signEdwards(input)))],
    ['R is a point of small order', edwardsToken(() => Buffer.concat([Buffer.alloc(1, 1), Buffer.alloc(63)]))],
    ['made for another payload', edwardsToken(() => signEdwards(`${encodePart(edwardsHeader)}.AAAA`))],
    [
      'made with another key',
      edwardsToken((input) => sign(null, Buffer.from(input), generateKeyPairSync('ed25519').privateKey)),
    ],
  ]),
]

function confusedEdwards(): string {
  const pem = edwardsPublicKey.export({ type: 'spki', format: 'pem' })
  return edwardsToken((input) => createHmac('sha256', pem).update(input).digest(), 'HS256')
}
