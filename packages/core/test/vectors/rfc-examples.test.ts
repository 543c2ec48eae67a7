import { testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { readKeys } from '../../src/keys/read-key-ring.js'
import { testKeys } from '../support/test-keys.js'
import { judge, readVectorKey } from '../support/vector-verdicts.js'
import { appendixExamples, cookbookExamples } from '../support/vectors.js'
import { exampleDeviations } from './deviations.js'

// The message for a key pair, and the message for a secret.
const publishedKey =
  /^jwt-auth: option `keys\[0\](` is an example from a standard or a website, with which anyone can sign|\.key` is too weak: it is a placeholder or an example from a guide); /

const byId = <Example extends { readonly id: string }>(examples: readonly Example[]) =>
  examples.map((example) => [example.id, example] as const)

describe('the examples of RFC 7515, appendix A', () => {
  it('are A.1, A.3 and A.5', () => {
    expect(appendixExamples.map(({ id }) => id)).toEqual(['A.1', 'A.3', 'A.5'])
  })

  it.each(byId(appendixExamples))('have a valid signature unless it is none: %s', (_, { algorithm, key, compact }) => {
    // `none` has no key, and no key of a ring verifies it.
    const vectorKey = readVectorKey(key ?? { kty: 'oct', k: 'AAAA' }, key === undefined ? 'HS256' : algorithm)
    expect(judge(compact, () => vectorKey)).toBe(algorithm === 'none' ? 'invalid' : 'valid')
  })

  it.each(byId(appendixExamples.filter(({ key }) => key !== undefined)))(
    'have a published key that a key ring refuses: %s',
    (_, { algorithm, key }) => {
      expect(() => readKeys([{ key, algorithm, state: 'verify' }, otherKeyFor(algorithm)])).toThrow(publishedKey)
    },
  )
})

describe('the examples of RFC 7520, 7797 and 8037', () => {
  const deviating = exampleDeviations.flatMap(({ ids }) => ids)

  it('are eleven', () => {
    expect(cookbookExamples).toHaveLength(11)
  })

  it.each(byId(cookbookExamples))(
    'are valid in the compact form only, unless listed: %s',
    (id, { algorithm, key, compact, serialized = [] }) => {
      const tokens = [compact, ...serialized.map((token) => JSON.stringify(token))]
      const [ofCompact, ...others] = tokens.map((token) => judge(token, () => readVectorKey(key ?? {}, algorithm)))
      expect(ofCompact).toBe(deviating.includes(id) ? 'invalid' : 'valid')
      expect(others).toEqual(serialized.map(() => 'invalid'))
    },
  )

  it('include every listed deviation', () => {
    const ids = cookbookExamples.map(({ id }) => id)
    expect(deviating.filter((id) => !ids.includes(id))).toEqual([])
  })

  it.each(byId(cookbookExamples.filter(({ key }) => !Array.isArray(key))))(
    'have a published key that a key ring refuses: %s',
    (_, { key, algorithm }) => {
      expect(() => readKeys([{ key, algorithm, state: 'verify' }, otherKeyFor(algorithm)])).toThrow(publishedKey)
    },
  )
})

/** Returns an active key of the same kind, so that only the example can be refused. */
const otherKeyFor = (algorithm: string): object =>
  algorithm.startsWith('HS')
    ? { key: testSecret, algorithm: 'HS256', state: 'active' }
    : { key: testKeys.p256, algorithm: 'ES256', state: 'active' }
