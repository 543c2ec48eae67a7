import type { JsonWebKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Verdict } from './vector-verdicts.js'

const folder = new URL('../vectors/published/', import.meta.url)

/** A vector of Wycheproof. */
interface Vector {
  readonly id: number
  /** A compact JWS, or an object when the vector tests another serialization. */
  readonly token: unknown
  readonly result: Verdict
}

interface SignatureGroup {
  readonly key: JsonWebKey
  readonly tests: readonly Vector[]
}

interface KeySetGroup {
  readonly keys: readonly JsonWebKey[]
  readonly tests: readonly Vector[]
}

/** An example of RFC 7515, 7520, 7797 or 8037. */
interface Example {
  readonly id: string
  readonly algorithm: string
  readonly key?: JsonWebKey
  readonly compact?: string
  /** The same token in the other serializations. */
  readonly serialized?: readonly object[]
}

// The parsing boundary of the vectors.
const read = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, folder), 'utf8'))

export const signatureGroups = read<{ groups: readonly SignatureGroup[] }>('wycheproof-signatures.json').groups
export const keySetGroups = read<{ groups: readonly KeySetGroup[] }>('wycheproof-key-sets.json').groups
export const cookbookExamples = read<{ examples: readonly Example[] }>('cookbook.json').examples
export const appendixExamples = read<{ examples: readonly Example[] }>('rfc7515-appendix-a.json').examples
