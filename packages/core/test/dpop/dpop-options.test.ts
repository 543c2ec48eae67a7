import { describe, expect, it } from 'vitest'
import { readDpop } from '../../src/dpop/dpop-options.js'

const issuer = 'https://api.example.com/auth'

describe('the option dpop', () => {
  it('has the origin of the issuer as its public URL, and requires no key by default', () => {
    expect(readDpop({ bind: 'refresh-tokens' }, issuer)).toEqual({
      bindsAccessTokens: false,
      schemes: ['Bearer'],
      isRequired: false,
      publicUrls: ['https://api.example.com'],
    })
  })

  it('keeps the prefix of a public URL, normalized and without a slash at the end', () => {
    const publicUrls = ['HTTPS://API.Example.com:443/', 'http://localhost:3000/a/../api/']
    expect(readDpop({ bind: 'all-tokens', required: true, publicUrls }, 'a name')).toEqual({
      bindsAccessTokens: true,
      schemes: ['DPoP'],
      isRequired: true,
      publicUrls: ['https://api.example.com', 'http://localhost:3000/api'],
    })
  })

  it.each([
    ['text', 'all-tokens', 'the options of `dpop` must be an object; received a string.'],
    ['without bind', {}, "option `dpop.bind` must be 'refresh-tokens' or 'all-tokens'; received nothing"],
    ['with another bind', { bind: 'access-tokens' }, "option `dpop.bind` must be 'refresh-tokens' or 'all-tokens'"],
    ['with text for required', { bind: 'all-tokens', required: 'yes' }, 'option `dpop.required` must be true or false'],
    ['with a misspelled member', { bind: 'all-tokens', publicUrl: [] }, '(did you mean `publicUrls`?)'],
    ['with no public URL', { bind: 'all-tokens', publicUrls: [] }, 'option `dpop.publicUrls` must be a list of URLs'],
    ['with text for the URLs', { bind: 'all-tokens', publicUrls: issuer }, 'option `dpop.publicUrls` must be a list'],
    ['with a path', { bind: 'all-tokens', publicUrls: [issuer, '/api'] }, 'option `dpop.publicUrls[1]` must be'],
    ['with a query', { bind: 'all-tokens', publicUrls: [`${issuer}?a`] }, 'option `dpop.publicUrls[0]` must be'],
    ['with a user', { bind: 'all-tokens', publicUrls: ['https://a@b.example'] }, 'option `dpop.publicUrls[0]` must be'],
    [
      'with another scheme',
      { bind: 'all-tokens', publicUrls: ['ws://b.example'] },
      'option `dpop.publicUrls[0]` must be',
    ],
  ])('throws for a value %s, and says what is expected', (_, value, message) => {
    // @ts-expect-error what a caller without types may pass
    expect(() => readDpop(value, issuer)).toThrow(message)
  })

  it('needs public URLs if the issuer is no URL', () => {
    expect(() => readDpop({ bind: 'all-tokens' }, 'my-service')).toThrow('`dpop.publicUrls` is required')
  })
})
