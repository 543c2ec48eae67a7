import { claims, payloads } from './claims.js'
import { type EdgeTokenGroup, edwardsRing, pairRing, secretRing } from './edge-token.js'
import { forms } from './forms.js'
import { headers } from './headers.js'
import { edwardsSignatures, pairSignatures, signatures } from './signatures.js'

/** All edge tokens, grouped by the unusual part. */
export const edgeTokenGroups: readonly EdgeTokenGroup[] = [
  { title: 'Form', keyRing: secretRing, tokens: forms },
  { title: 'Header', keyRing: secretRing, tokens: headers },
  { title: 'HMAC signature', keyRing: secretRing, tokens: signatures },
  { title: 'ECDSA signature', keyRing: pairRing, tokens: pairSignatures },
  { title: 'Ed25519 signature', keyRing: edwardsRing, tokens: edwardsSignatures },
  { title: 'Payload', keyRing: secretRing, tokens: payloads },
  { title: 'Claims', keyRing: secretRing, tokens: claims },
]
