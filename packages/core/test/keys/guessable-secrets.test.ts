import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSecret } from '../../src/keys/read-secret.js'

const read = (secret: unknown): unknown => readSecret('secret', secret, 'HS256')

const placeholder = 'is too weak: it is a placeholder or an example from a guide; generate one with: node -e'
const words = 'is too weak: it is made of letters alone, like a sentence; generate one with: node -e'
const repetition = 'is too weak: it is a repetition or a sequence; generate one with: node -e'
const digest = 'is too weak: it is the digest of a common password; generate one with: node -e'
const few = 'is too weak: it is made of too few different characters; generate one with: node -e'

describe('readSecret rejects a published secret', () => {
  it.each([
    '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7',
    '404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970',
    '3cfa76ef14937c1c0ea519f8fc057a80fcd04a7420f8e8bcd0a7567c272e007b',
    'ZmQ0ZGI5NjQ0MDQwY2I4MjMxY2Y3ZmI3MjdhN2ZmMjNhODViOTg1ZGE0NTBjMGM4NDA5NzYxMjdjOWMwYWRmZTBlZjlhNGY3ZTg4Y2U3YTE1ODVkZDU5Y2Y3OGYwZWE1NzUzNWQ2YjFjZDc0NGMxZWU2MmQ3MjY1NzJmNTE0MzI=',
    'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
    'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    'bezKoderSecretKeyForJWTokenSigning',
    'daf66e01593f61a15b857cf433aae03a005812b31234e149036bcc8dee755dbb',
    '9a4f2c8d3b7a1e6f45c8a0b3f267d8b1d4e6f3c8a9d2b5f8e3a9c8b5f6v8a3d9',
    'vOVH6sdmpNWjRRIqCc7rdxs01lwHzfr3',
    'b14ca5898a4e4133bbce2ea2315a1916',
    'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    'TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ',
    'django-insecure-#p1!x2+kq8f3$hv0m9zt4w7yb6ndc5jr',
    'change-me-9f1c27d0e6b84a35b7c2d18e4f60a953',
    '{{ .Values.jwtAuthSecret | quote }}-x',
    '%JWT_AUTH_SECRET%%JWT_AUTH_SECRETS%',
    `$${'{{ secrets.JWT_AUTH_SECRET_OF_PROD }}'}`,
    "{{ lookup('env', 'JWT_AUTH_SECRET_X') }}",
    'arn:aws:secretsmanager:eu-central-1:210987654321:secret:site-Qx7fKp',
    '<paste 32 or more random bytes here>',
    '<Qx7fKp-wZ3u from the vault of 9bTn8>',
  ])('%s', (secret) => {
    expect(() => read(secret)).toThrow(placeholder)
  })
})

describe('readSecret rejects the beginning of a public key, and the parts of secrets in tutorials', () => {
  it.each([
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB',
    'bXktc2VjcmV0LWtleS13aGljaC1zaG91bGQtYmUtY2hhbmdlZC1pbi1wcm9kdWN0aW9uLWFuZC1iZS1iYXNlNjQtZW5jb2RlZA==',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
    'super-secret-jwt-token-with-at-least-32-characters-long',
    'supersecretkeyyoushouldnotcommit',
    'insecure-dev-only-jwt-secret-0123456789',
    'ZHluYXBpLWRldi1zZWNyZXQta2V5LWNoYW5nZS0xMjM0NTY3ODkw',
    'JWT_SECRET_KEY_FOR_MY_NODEJS_APP_12',
    'acmecorp-prod-jwt-signing-key-2025-v2',
    'mein-geheimes-passwort-fuer-jwt-tokens',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0',
    'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9',
    'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ',
    'passwordpasswordpasswordpassword1',
    'P@ssw0rdP@ssw0rdP@ssw0rdP@ssw0rd!',
    'qwertyuiopasdfghjklzxcvbnm123456',
    'abcdefghijklmnopqrstuvwxyz0123456789',
  ])('%s', (secret) => {
    expect(() => read(secret)).toThrow(placeholder)
  })
})

describe('readSecret rejects the digest of a common password', () => {
  const cases = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'].flatMap((algorithm) =>
    ['password', 'secret\n', ''].flatMap((text) => {
      const bytes = createHash(algorithm).update(text).digest()
      const written = [bytes.toString('hex'), bytes.toString('hex').toUpperCase(), bytes.toString('base64'), bytes]
      return written
        .filter(({ length }) => length >= 32)
        .map((secret) => [algorithm, JSON.stringify(text), secret] as const)
    }),
  )

  it.each(cases)('%s of %s (%#)', (_, _text, secret) => {
    expect(() => read(secret)).toThrow(digest)
  })
})

describe('readSecret rejects words with numbers, and addresses', () => {
  it.each([
    ['this-is-a-secret-value-with-at-least-32-characters', words],
    ['TODO-TODO-set-this-before-production-TODO', words],
    ['FIXME: use 32 random bytes before the release', words],
    ['https://api.example.com/jwt-auth/v1', placeholder],
    ['http://api.example.com/jwt-auth/v1/', placeholder],
    ['postgres://app:Qx7fKpwZ@db.example.com:5432/app', placeholder],
    ['mongodb+srv://app:Qx7fKpwZ@db.example.com/app', placeholder],
  ])('%s', (secret, message) => {
    expect(() => read(secret)).toThrow(message)
  })
})

describe('readSecret rejects letters alone, like a sentence', () => {
  it.each([
    'bXktc2VjcmV0LXRva2VuLXRvLWNoYW5nZS1pbi1wcm9kdWN0aW9u',
    'replace-with-secure-random-value',
    'NOT_A_SECRET_ONLY_FOR_TESTING_PURPOSES',
    'some-super-long-secret-for-local-testing',
    'correct horse battery staple correct horse',
    'thequickbrownfoxjumpsoverthelazydog',
    'Correct Horse Battery Staple, Correct Horse',
  ])('%s', (secret) => {
    expect(() => read(secret)).toThrow(words)
  })
})

describe('readSecret rejects a repetition or a sequence', () => {
  it.each([
    'Tr0ub4dor&3Tr0ub4dor&3Tr0ub4dor&3',
    'AKIAIOSFODNN7EXAMPLEAKIAIOSFODNN7EXAMPLE',
    'Secret123!Secret123!Secret123!Secret123!',
    '9f1c27d0e6b84a35'.repeat(2),
    '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    '00112233445566778899aabbccddeeff',
    Buffer.from('9f1c27d0e6b84a35'.repeat(2)).toString('base64'),
  ])('%s', (secret) => {
    expect(() => read(secret)).toThrow(repetition)
  })
})

describe('readSecret rejects few different characters', () => {
  it.each([
    '01'.repeat(17) + '0110100101'.repeat(3),
    'aabbababbabaabbbabababbaabbabaab',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaabcdef',
  ])('%s', (secret) => {
    expect(() => read(secret)).toThrow(few)
  })
})

describe('readSecret accepts a random secret', () => {
  it('in pairs of characters with dots, which encode fewer bytes in base64', () => {
    expect(() => read('k3.Zq.8f.W1.pX.7c.Rt.2m.Vb.9s.Hd.L5.yN.4g.Ju.eA')).not.toThrow()
  })

  /** Generates bytes without bias: arbitraries of fast-check prefer small and repeated values. */
  const generate = (seed: number, length: number): Buffer =>
    createHash('shake256', { outputLength: length }).update(`${seed}`).digest()

  const keyboard = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at))
  const lettersAndDigits = keyboard.filter((character) => /[A-Za-z0-9]/.test(character))

  /** Picks characters, all with the same probability. */
  const pick = (characters: readonly string[], seed: number, length: number): string =>
    [...generate(seed, length * 8)]
      .filter((byte) => byte < 256 - (256 % characters.length))
      .slice(0, length)
      .map((byte) => characters[byte % characters.length])
      .join('')

  const toUuid = (bytes: Buffer): string => {
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  it.each<[string, (seed: number, length: number) => string | Buffer]>([
    ['bytes', (seed, length) => generate(seed, length)],
    ['hexadecimal', (seed, length) => generate(seed, length).toString('hex')],
    ['hexadecimal in capitals', (seed, length) => generate(seed, length).toString('hex').toUpperCase()],
    ['base64', (seed, length) => generate(seed, length).toString('base64')],
    ['base64url', (seed, length) => generate(seed, length).toString('base64url')],
    ['hexadecimal of 16 bytes', (seed) => generate(seed, 16).toString('hex')],
    ['base64 of 24 bytes', (seed) => generate(seed, 24).toString('base64')],
    ['a UUID', (seed) => toUuid(generate(seed, 16))],
    ['two UUIDs', (seed) => `${toUuid(generate(seed, 16))}${toUuid(generate(-seed, 16))}`],
    ['a password manager, all characters', (seed, length) => pick(keyboard, seed, 43 + (length % 22))],
    ['a password manager, letters and digits', (seed, length) => pick(lettersAndDigits, seed, 43 + (length % 22))],
    ['characters between brackets', (seed) => `<${pick(keyboard, seed, 43)}>`],
    ['characters between percent signs', (seed) => `%${pick(keyboard, seed, 43)}%`],
    ['characters with pairs of braces', (seed) => `{{${pick(keyboard, seed, 41)}}}`],
    ['bytes between brackets', (seed) => Buffer.from(`<${generate(seed, 30).toString('latin1')}>`, 'latin1')],
    ['characters of a password manager with dots', (seed) => pick([...lettersAndDigits, '.'], seed, 43)],
    [
      'three parts in base64url',
      (seed) => [1, 2, 3].map((part) => generate(seed * part, 12).toString('base64url')).join('.'),
    ],
    ['digits', (seed) => pick([...'0123456789'], seed, 48)],
  ])('%s', (_, make) => {
    fc.assert(
      fc.property(fc.noBias(fc.integer({ min: 1 })), fc.noBias(fc.integer({ min: 32, max: 128 })), (seed, length) => {
        read(make(seed, length))
      }),
      { numRuns: Number(process.env['RANDOM_SECRETS'] ?? 300) },
    )
  })
})
