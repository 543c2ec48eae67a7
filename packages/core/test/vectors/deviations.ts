import type { Verdict } from '../support/vector-verdicts.js'

/** Vectors whose result differs from the expected result, on purpose. */
export interface Deviation {
  readonly ids: readonly number[]
  readonly ours: Verdict
  readonly why: string
}

/** Deviations from `wycheproof-signatures.json`. */
export const signatureDeviations: readonly Deviation[] = [
  {
    ids: [259, 264, 268, 272, 320, 325],
    ours: 'invalid',
    why: 'The payload is empty, and an access token has claims.',
  },
  {
    ids: [346, 350],
    ours: 'invalid',
    why: 'The key says PS256 and the token PS384. Each key has one algorithm.',
  },
  {
    ids: [367, 370],
    ours: 'valid',
    why: 'Identical to the valid vector 357. This is a defect of the file.',
  },
  {
    ids: [372, 373],
    ours: 'invalid',
    why: 'Marked valid, but contains a `?`, which is not base64url. This is a defect of the file.',
  },
]

/** Deviations from `wycheproof-key-sets.json`. */
export const keySetDeviations: readonly Deviation[] = [
  {
    ids: [13, 14, 15],
    ours: 'invalid',
    why: 'The set contains the P-256 key of RFC 7517, appendix A.2, which also prints its private half.',
  },
]

/** Deviations from the examples of RFC 7515, 7520, 7797 and 8037: each is invalid. */
export const exampleDeviations: readonly { readonly ids: readonly string[]; readonly why: string }[] = [
  {
    ids: ['jws/4_5.signature_with_detached_content'],
    why: 'The payload is not in the token, and an access token has claims.',
  },
  {
    ids: [
      'jws/4_6.protecting_specific_header_fields',
      'jws/4_7.protecting_content_only',
      'jws/4_8.multiple_signatures',
      'rfc7797/4.2.hmac-sha2_b64_false',
    ],
    why: 'Only the compact serialization is supported, and these examples have none.',
  },
  { ids: ['rfc7797/hmac-sha2_b64_false'], why: 'The header must not contain `b64` and `crit`.' },
]
