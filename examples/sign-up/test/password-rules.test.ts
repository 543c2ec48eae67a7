import { describe, expect, it } from 'vitest'
import { findFault, lengthRule, type PasswordRule, personalRule } from '../src/password-rules.mjs'

const ann = { username: ' Ann.Roe', email: 'roe@example.com' }
const fault = expect.stringContaining(' ')

describe('a rule for new passwords', () => {
  it.each([
    ['the length', lengthRule, 'elevenchars', fault],
    ['the length', lengthRule, 'twelve chars', undefined],
    ['the length', lengthRule, 'x'.repeat(256), undefined],
    ['the length', lengthRule, 'x'.repeat(257), fault],
    ['the names', personalRule, 'my name is ANN.ROE', fault],
    ['the names', personalRule, 'login at Example.com', fault],
    ['the names', personalRule, 'correct horse battery staple', undefined],
    ['names that are too short to matter', personalRule, 'a roe in the wood', undefined],
  ])('checks %s: %#', async (_, rule, password, found) => {
    expect(await rule(password, ann)).toEqual(found)
  })

  it('decides before the rules after it', async () => {
    const called: string[] = []
    const ruleThat =
      (name: string, found?: string): PasswordRule =>
      () => {
        called.push(name)
        return found
      }
    expect(await findFault([ruleThat('a'), ruleThat('b', 'no'), ruleThat('c', 'never')], 'password', ann)).toBe('no')
    expect(called).toEqual(['a', 'b'])
    expect(await findFault([ruleThat('a')], 'password', ann)).toBeUndefined()
  })
})
