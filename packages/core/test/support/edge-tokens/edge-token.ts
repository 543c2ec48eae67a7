import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { testSecret } from '@jwt-auth/test-support/test-service'
import { readKeys, readServiceKeys } from '../../../src/keys/read-key-ring.js'
import { forgeToken, validClaims } from '../forged-token.js'

/** The check that refuses a token: `key` before any cryptography, `claims` only after a valid signature. */
export type Stage = 'form' | 'key' | 'signature' | 'claims' | 'start' | 'expiry' | 'accepted'

/** A token that is almost valid, and its result. */
export interface EdgeToken {
  readonly name: string
  readonly token: string
  readonly ends: Stage
}

/** Tokens of one kind, for one key. */
export interface EdgeTokenGroup {
  readonly title: string
  readonly keyRing: ReturnType<typeof readKeys>
  readonly tokens: readonly EdgeToken[]
}

/** The audience that the verifiers require. */
export const edgeAudience = 'reports'

export const edgeClaims = { ...validClaims, aud: edgeAudience }

export const secretRing = readServiceKeys({ secret: testSecret }).keyRing
const { kid } = secretRing.active

/** Generated for each run, because no test depends on its value. */
export const pairPrivateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
export const pairRing = readKeys([
  {
    key: createPrivateKey(pairPrivateKey.export({ type: 'pkcs8', format: 'pem' })),
    algorithm: 'ES256',
    state: 'active',
  },
])

/** An Ed25519 key pair. */
export const edwardsPrivateKey = generateKeyPairSync('ed25519').privateKey
export const edwardsRing = readKeys([{ key: edwardsPrivateKey, algorithm: 'EdDSA', state: 'active' }])

export const edgeHeader = { alg: 'HS256', typ: 'at+jwt', kid }

/** Creates a token that is valid except for its header. */
export const withHeader = (header: object | string | Uint8Array): string => forgeToken({ header, payload: edgeClaims })

/** Creates a token that is valid except for its payload. */
export const withPayload = (payload: object | string | Uint8Array): string =>
  forgeToken({ header: edgeHeader, payload })

/** Creates a token that is valid except for some claims. `undefined` removes a claim. */
export const withClaims = (claims: object): string => withPayload({ ...edgeClaims, ...claims })

/** Returns the JSON of the valid payload with one more member before the closing brace. */
export const withMember = (member: string): string => `${JSON.stringify(edgeClaims).slice(0, -1)},${member}}`

/** Returns the JSON of the valid payload with another spelling of a value. */
export const spelled = (claim: string, value: string): string =>
  `${JSON.stringify({ ...edgeClaims, [claim]: undefined }).slice(0, -1)},"${claim}":${value}}`

/** Creates edge tokens that all end at one stage. */
export const endAt = (ends: Stage, tokens: readonly (readonly [name: string, token: string])[]): readonly EdgeToken[] =>
  tokens.map(([name, token]) => ({ name, token, ends }))
