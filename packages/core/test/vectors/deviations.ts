import type { Verdict } from '../support/vector-verdicts.js'

/** Vectors that are judged otherwise than they say, on purpose. */
export interface Deviation {
  readonly tcIds: readonly number[]
  readonly ours: Verdict
  readonly why: string
}

/** Of `wycheproof_json_web_signature_test.json`. */
export const signatureDeviations: readonly Deviation[] = [
  {
    tcIds: [259, 264, 268, 272, 320, 325],
    ours: 'invalid',
    why: 'The payload is empty, and an access token has claims: refused before any cryptography.',
  },
  {
    tcIds: [346, 350],
    ours: 'invalid',
    why: "The key says PS256 and the token PS384. A key has one algorithm; the token's is only compared with it.",
  },
  {
    tcIds: [367, 370],
    ours: 'valid',
    why: 'Byte for byte the valid vector 357: a defect of the file.',
  },
  {
    tcIds: [372, 373],
    ours: 'invalid',
    why: 'Called valid, but hold a `?`, which is no base64url: a defect of the file.',
  },
]

/** Of `wycheproof_json_web_key_test.json`. */
export const keySetDeviations: readonly Deviation[] = [
  {
    tcIds: [13, 14, 15],
    ours: 'invalid',
    why: 'The set holds the P-256 key of RFC 7517, appendix A.2, whose private half is printed there.',
  },
]

/** Of the examples of RFC 7515, 7520, 7797 and 8037, by their titles. */
export const exampleDeviations: Readonly<Record<string, string>> = {
  'Ed25519 signing': 'EdDSA is none of the algorithms (docs/decisions/0021).',
  'Signature with Detached Content': 'The payload is not in the token, and an access token has claims.',
  'Protecting Specific Header Fields': 'Only the compact serialization is read; this example has none.',
  'Protecting Content Only': 'Only the compact serialization is read; this example has none.',
  'Multiple Signatures': 'Only the compact serialization is read; this example has none.',
  "'b64'=false JSON only": 'Only the compact serialization is read; this example has none.',
  "'b64'=false compatible with compact serialization": '`b64` and `crit` are not on the list of header members.',
}
