import { describe, expect, it } from 'vitest'
import { breachRule, findFault, lengthRule, type PasswordRule, personalRule } from '../src/password-rules.mjs'

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

describe('the rule for breached passwords', () => {
  // The SHA-1 digest of `password` is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8.
  const rest = '1E4C9B93F3F0682250B6CF8331B7EE68FD8'
  const other = '003D68EB55068C33ACE09247EE4C639306B:3'

  const askWith = async (range: string | Error) => {
    const prefixes: string[] = []
    const rule = breachRule(async (prefix) => {
      prefixes.push(prefix)
      if (range instanceof Error) throw range
      return range
    })
    return { fault: await rule('password', ann), prefixes }
  }

  it('sends five digits of the digest and no more', async () => {
    expect((await askWith('')).prefixes).toEqual(['5BAA6'])
  })

  it.each([
    ['refuses a password on the list', `${other}\r\n${rest}:9545824`, fault],
    ['accepts a password that is not on the list', other, undefined],
    ['accepts a password that only the padding contains', `${rest}:0\n${other}`, undefined],
    ['accepts a password when the list is empty', '', undefined],
    ['accepts a password when the list is unavailable', new Error('timeout'), undefined],
  ])('%s', async (_, range, found) => {
    expect((await askWith(range)).fault).toEqual(found)
  })
})
