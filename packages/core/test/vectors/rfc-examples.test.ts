import { describe, expect, it } from 'vitest'
import { readKeys } from '../../src/options/read-key-ring.js'
import { testKeys } from '../support/test-keys.js'
import { testSecret } from '../support/test-service.js'
import { judge, readVectorKey } from '../support/vector-verdicts.js'
import {
  type AppendixExample,
  areVectorsHere,
  type CookbookExample,
  listVectors,
  readVectors,
} from '../support/vectors.js'
import { exampleDeviations } from './deviations.js'

// Of a key pair, and of a secret.
const knownToEverybody =
  /^jwt-auth: option `keys\[0\](` is an example from a standard or a website, which anybody can sign with|\.key` is too weak: it is a placeholder or an example from a guide); /

describe.skipIf(!areVectorsHere)('the examples of RFC 7515, appendix A', () => {
  const examples = readVectors<readonly AppendixExample[]>('rfc7515_appendix_a.json', [])

  it.each(examples)('$name', ({ alg, jwk, jws }) => {
    // `none` comes without a key: no key of a ring is one for it.
    const key = readVectorKey(jwk ?? { kty: 'oct', k: 'AAAA' }, jwk === undefined ? 'HS256' : alg)
    expect(judge(jws, () => key)).toBe(alg === 'none' ? 'invalid' : 'valid')
  })

  it.each(examples.filter(({ jwk }) => jwk !== undefined))(
    '$name: a ring refuses its key, which everybody knows',
    ({ alg, jwk }) => {
      expect(() => readKeys([{ key: jwk, algorithm: alg, state: 'verify' }, otherKeyFor(alg)])).toThrow(
        knownToEverybody,
      )
    },
  )
})

describe.skipIf(!areVectorsHere)('the examples of RFC 7520, 7797 and 8037', () => {
  const examples = listVectors('rfc7520/').flatMap((file) =>
    readVectors<readonly CookbookExample[] | CookbookExample>(`rfc7520/${file}`, []),
  )

  it('are eleven', () => {
    expect(examples).toHaveLength(11)
  })

  it.each(examples)('$title', ({ title, input, output }) => {
    const serializations = [output.compact, JSON.stringify(output.json), JSON.stringify(output.json_flat)]
    const [compact, ...others] = serializations.map((jws) => judge(jws, () => readVectorKey(input.key, input.alg)))
    expect({ compact, others }).toEqual({
      compact: exampleDeviations[title] === undefined ? 'valid' : 'invalid',
      others: ['invalid', 'invalid'],
    })
  })

  it('deviate only where it is listed', () => {
    const titles = examples.map(({ title }) => title)
    expect(Object.keys(exampleDeviations).filter((title) => !titles.includes(title))).toEqual([])
  })

  it.each(examples.filter(({ input }) => !Array.isArray(input.key) && input.alg !== 'EdDSA'))(
    '$title: a ring refuses its key, which everybody knows',
    ({ input }) => {
      expect(() =>
        readKeys([{ key: input.key, algorithm: input.alg, state: 'verify' }, otherKeyFor(input.alg)]),
      ).toThrow(knownToEverybody)
    },
  )
})

/** An active key of the same kind, so that nothing but the example can be refused. */
const otherKeyFor = (algorithm: string): object =>
  algorithm.startsWith('HS')
    ? { key: testSecret, algorithm: 'HS256', state: 'active' }
    : { key: testKeys.p256, algorithm: 'ES256', state: 'active' }
