import { describe, expect, it } from 'vitest'
import { findClosestName } from '../src/option-checks.js'
import { tokenServiceOptionNames } from '../src/options/resolve-options.js'

const names = Object.keys(tokenServiceOptionNames)

describe('the closest name', () => {
  it.each([
    ['accessTokenSecond', 'accessTokenLifetimeSeconds'],
    ['accesstokenlifetimeseconds', 'accessTokenLifetimeSeconds'],
    ['secert', 'secret'],
    ['jwtSecret', 'secret'],
    ['isuer', 'issuer'],
    ['user', 'users'],
    ['store', 'storage'],
    ['rateLimit', 'rateLimits'],
    ['timeoutMs', 'storageTimeoutMs'],
    ['onErrors', 'onError'],
  ])('to %s is %s', (name, expected) => {
    expect(findClosestName(name, names)).toBe(expected)
  })

  it.each(['debug', 'cookie', 'role', 'x', ''])('to "%s" does not exist among the options of jwtAuth', (name) => {
    expect(findClosestName(name, names)).toBeUndefined()
  })
})
