import type { JsonWebKeySet } from '../keys/key-ring.js'
import type { WireResponse } from './response.js'

/**
 * Answers with public keys (RFC 7517, section 8.5.2). Unlike every other answer it may be cached: nothing in it is secret, and
 * those who check tokens with it ask again after `maxAgeSeconds`.
 */
export const toJwksResponse = (keySet: JsonWebKeySet, maxAgeSeconds: number): WireResponse => ({
  status: 200,
  headers: {
    'Content-Type': 'application/jwk-set+json',
    'Cache-Control': `public, max-age=${maxAgeSeconds}`,
    'X-Content-Type-Options': 'nosniff',
  },
  body: JSON.stringify(keySet),
})
