import type { JsonWebKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

// Published test vectors, which lie beside the repository and are no part of it.
const vectorFolder = new URL('../../../../../shared/vectors/', import.meta.url)

/** A signature vector of Wycheproof. */
interface SignatureVector {
  readonly tcId: number
  readonly comment: string
  /** A compact JWS, or an object where the vector is about another serialization. */
  readonly jws: unknown
  readonly result: 'valid' | 'invalid'
}

export interface SignatureGroup {
  readonly public?: JsonWebKey
  readonly private?: JsonWebKey
  readonly tests: readonly SignatureVector[]
}

export interface KeySetGroup {
  readonly public?: { readonly keys: readonly JsonWebKey[] }
  readonly private: { readonly keys: readonly JsonWebKey[] }
  readonly tests: readonly SignatureVector[]
}

/** An example of RFC 7520, 7797 or 8037, as the JOSE cookbook writes it. */
export interface CookbookExample {
  readonly title: string
  readonly input: { readonly key: JsonWebKey; readonly alg: string }
  readonly output: { readonly compact?: string; readonly json?: object; readonly json_flat?: object }
}

/** An example of RFC 7515, appendix A. */
export interface AppendixExample {
  readonly name: string
  readonly alg: string
  readonly jwk?: JsonWebKey
  readonly jws: string
}

const findVectors = (): boolean => {
  if (existsSync(vectorFolder)) return true
  if (process.env['CI'] !== undefined) throw new Error(`There are no test vectors at ${vectorFolder.pathname}.`)
  process.stderr.write(`The published test vectors are left out: there are none at ${vectorFolder.pathname}.\n`)
  return false
}

/** Whether the vectors are here; where not, one line says so. With `CI` they must be. */
export const areVectorsHere = findVectors()

/** Reads a file of vectors; `absent` where there are none. */
// The parsing border: the tests that follow name a member that is not there.
export const readVectors = <T>(file: string, absent: T): T =>
  areVectorsHere ? JSON.parse(readFileSync(new URL(file, vectorFolder), 'utf8')) : absent

/** The files in a folder of vectors. */
export const listVectors = (folder: string): readonly string[] =>
  areVectorsHere ? readdirSync(new URL(folder, vectorFolder)).filter((file) => file.endsWith('.json')) : []
