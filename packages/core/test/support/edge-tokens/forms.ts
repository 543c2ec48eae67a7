import { encodePart } from '@jwt-auth/test-support/token-forger'
import { forgeToken, signParts, withStrayBits } from '../forged-token.js'
import { edgeClaims, edgeHeader, endAt, spelled, withMember, withPayload } from './edge-token.js'

const validToken = forgeToken({ header: edgeHeader, payload: edgeClaims })
const [header = '', payload = '', signature = ''] = validToken.split('.')

/** Returns the longest token within a length, or the shortest token above it. */
const tokenAround = (length: number, over: boolean): string => {
  let filler = ''
  let token = validToken
  for (;;) {
    filler += 'x'.repeat(Math.max(1, Math.floor((length - token.length) / 2)))
    const next = withPayload({ ...edgeClaims, filler })
    if (next.length > length) return over ? next : token
    token = next
  }
}

/** Valid and invalid spellings of a compact JWS. */
export const forms = [
  ...endAt('accepted', [
    ['a valid token', validToken],
    ['a token of 8,192 characters', tokenAround(8_192, false)],
  ]),
  ...endAt('form', [
    ['empty text', ''],
    ['only two dots', '..'],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${validToken}.${signature}`],
    ['five parts', `${validToken}.${signature}.${signature}`],
    ['an empty header', signParts('', payload)],
    ['an empty payload', signParts(header, '')],
    ['an empty signature', `${header}.${payload}.`],
    ['`alg` none and no signature', `${encodePart({ ...edgeHeader, alg: 'none' })}.${payload}.`],
    ['a leading space', ` ${validToken}`],
    ['a trailing space', `${validToken} `],
    ['a trailing line feed', `${validToken}\n`],
    ['a line feed in the payload', signParts(header, `${payload.slice(0, 8)}\n${payload.slice(8)}`)],
    ['more than 8,192 characters', tokenAround(8_192, true)],
    ['padding after the header', signParts(`${header}=`, payload)],
    ['padding after the payload', signParts(header, `${payload}==`)],
    ['padding after the signature', `${validToken}=`],
    ['base64 instead of base64url', signParts(header, encodePart(spelled('iss', '"~~~???"')).replace(/[-_]/g, '+'))],
    [
      'a part with 4n+1 characters',
      signParts(header, `${encodePart(withMember('"a":"bcd"')).replace(/.{0,3}$/, '')}A`),
    ],
    ['unused bits set in the header', signParts(withStrayBits(encodePart(`${JSON.stringify(edgeHeader)} `)), payload)],
    ['unused bits set in the payload', signParts(header, withStrayBits(encodePart(padTo(1))))],
    ['unused bits set in the signature', `${header}.${payload}.${withStrayBits(signature)}`],
    ['the JSON serialization of RFC 7515', JSON.stringify({ payload, signatures: [{ protected: header, signature }] })],
    ['a JWE (five parts)', `${header}.AAAA.AAAA.${payload}.${signature}`],
  ]),
]

/** Returns a valid payload of 3n + 1 bytes, whose last character has four unused bits. */
function padTo(rest: number): string {
  let member = '"stray":"bits"'
  while (Buffer.byteLength(withMember(member)) % 3 !== rest) member = member.replace('bits', ' bits')
  return withMember(member)
}
