import { describe, expect, it } from 'vitest'
import { readArgon2idCost } from '../src/argon2id.js'

const salt = '/HzWmC79Zz1c1d1xB8cQXg'
const tag = 'fmZIHvtaaje9qwuzXe2d5tRMKje879/UxZEU0836I1I'

const hashOf = (costs: string, end = `${salt}$${tag}`): string => `$argon2id$v=19$${costs}$${end}`

describe('readArgon2idCost', () => {
  it.each([
    ['m=1024,t=1,p=1', { memoryKib: 1_024, passes: 1, parallelism: 1 }],
    ['m=262144,t=16,p=16', { memoryKib: 262_144, passes: 16, parallelism: 16 }],
    ['m=65536,t=3,p=4', { memoryKib: 65_536, passes: 3, parallelism: 4 }],
  ])('reads a hash with %s', (costs, cost) => {
    expect(readArgon2idCost(hashOf(costs))).toStrictEqual(cost)
  })

  it.each([
    'm=1023,t=1,p=1',
    'm=262145,t=1,p=1',
    'm=1024,t=0,p=1',
    'm=1024,t=17,p=1',
    'm=1024,t=1,p=0',
    'm=1024,t=1,p=17',
    'm=01024,t=1,p=1',
    'm=1024,t=01,p=1',
    'm=1024,t=1,p=01',
    'm=1024,p=1,t=1',
    'm=1024,t=2',
    'm=1e3,t=2,p=1',
    'm=99999999999,t=1,p=1',
    'm=1024,t=1,p=1,keyid=a',
  ])('returns undefined for a hash with %s', (costs) => {
    expect(readArgon2idCost(hashOf(costs))).toBeUndefined()
  })

  it.each([
    ['whose salt is one character too short', `${'A'.repeat(10)}$${tag}`],
    ['whose tag is one character too short', `${salt}$${'A'.repeat(21)}`],
    ['whose salt ends with unused bits', `${salt.slice(0, -1)}h$${tag}`],
    ['whose tag ends with unused bits', `${salt}$${tag.slice(0, -1)}J`],
    ['with other characters in the salt', `${salt.slice(0, -1)}-$${tag}`],
    ['with other characters in the tag', `${salt}$${tag.slice(0, -1)}_`],
    ['with padding', `${salt}==$${tag}`],
    ['with trailing characters', `${salt}$${tag}$`],
    ['with a trailing line break', `${salt}$${tag}\n`],
  ])('returns undefined for a hash %s', (_, end) => {
    expect(readArgon2idCost(hashOf('m=1024,t=1,p=1', end))).toBeUndefined()
  })

  it.each([
    hashOf('m=1024,t=1,p=1').replace('v=19', 'v=16'),
    hashOf('m=1024,t=1,p=1').replace('argon2id', 'argon2i'),
    `x${hashOf('m=1024,t=1,p=1')}`,
    '',
  ])('returns undefined for %j', (stored) => {
    expect(readArgon2idCost(stored)).toBeUndefined()
  })
})
