import { describe, expect, it } from 'vitest'
import { findLeaks, findSecrets, textsOf } from '../src/index.js'

const secret = 'correct horse "battery" staple?'
const secrets = new Map([['the password', secret]])

const find = (value: unknown): readonly string[] => findSecrets(secrets, textsOf(value))

class Hiding {
  readonly #kept: string
  constructor(kept: string) {
    this.#kept = kept
  }
  get shown(): string {
    return this.#kept
  }
}

describe('the search for secrets', () => {
  it.each<readonly [string, unknown]>([
    ['a text', `no user with ${secret}`],
    ['base64 of it', Buffer.from(secret).toString('base64')],
    ['base64 of a longer text', Buffer.from(`user:${secret}:`).toString('base64')],
    ['base64url of a longer text', Buffer.from(`ab${secret}`).toString('base64url')],
    ['hexadecimal', Buffer.from(secret).toString('hex')],
    ['hexadecimal in capitals', Buffer.from(secret).toString('hex').toUpperCase()],
    ['a Buffer', { bytes: Buffer.from(secret) }],
    ['a URL', `/login?password=${encodeURIComponent(secret)}`],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ secret }))],
    ['the message of an error', new Error(`wrong: ${secret}`)],
    ['the cause of a cause', new Error('a', { cause: new Error('b', { cause: new Error(secret) }) })],
    ['one error of several', new AggregateError([new Error(secret)], 'some failed')],
    ['a deep member', { a: { b: { c: { d: { e: [secret] } } } } }],
    ['a hidden member', Object.defineProperty({}, 'hidden', { value: secret })],
    ['a member under a symbol', { [Symbol('kept')]: secret }],
    ['a name', { [secret]: true }],
    ['a map', new Map([['key', { secret }]])],
    ['a set', new Set([secret])],
    [
      'a getter',
      {
        get secret() {
          return secret
        },
      },
    ],
    ['a getter of a class', Object.create(new Hiding(secret), { shown: { get: () => secret } })],
    ['a function with members', Object.assign(() => {}, { secret })],
    ['the result of toJSON', { toJSON: () => ({ secret }) }],
    ['a long list', [...new Array(500).fill('x'), secret]],
    ['the end of a long text', `${'x'.repeat(200_000)}${secret}`],
  ])('finds one in %s', (_, value) => {
    expect(find(value)).toEqual(['the password'])
  })

  it.each(['hex', 'base64', 'base64url'] as const)('finds bytes in %s', (encoding) => {
    const bytes = Buffer.from([0, 255, 254, 62, 63, 7, 128, 200, 251, 239])
    expect(findSecrets(new Map([['the key', bytes]]), [`key=${bytes.toString(encoding)};`])).toEqual(['the key'])
  })

  it.each<readonly [string, unknown]>([
    ['another text', 'correct horse'],
    ['a part of it', secret.slice(0, 20)],
    ['a closure', () => secret],
    ['nothing', undefined],
  ])('finds none in %s', (_, value) => {
    expect(find(value)).toEqual([])
  })

  it('refuses a secret so short that it would be found everywhere', () => {
    expect(() => findSecrets(new Map([['a pin', '1234']]), ['1234'])).toThrow(RangeError)
  })
})

describe('the search for what looks like a secret', () => {
  it.each([
    ['a refresh token', `jwtauth_rt_${'A'.repeat(64)}`],
    ['an access token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl'],
    ['a bcrypt hash', `$2b$12$${'a'.repeat(53)}`],
    ['an argon2 hash', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----'],
  ])('finds %s', (kind, text) => {
    expect(findLeaks(`before ${text} after`)).toEqual([kind])
  })

  it('finds a bcrypt hash behind the prefix of jwt-auth', () => {
    expect(findLeaks(`$jwtauth1$2b$12$${'a'.repeat(53)}`)).toEqual(['a bcrypt hash'])
  })

  it('finds none in ordinary output', () => {
    expect(findLeaks('[jwt-auth] jwt_auth_unavailable: Error: connect ECONNREFUSED 127.0.0.1:5432')).toEqual([])
  })
})
