import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LegacyHasher } from '../../src/index.js'
import { djangoHasher, firebaseHasher, phpassHasher, scryptHasher } from '../../src/legacy-hashers.js'

// The rounds of MD5, the iterations of PBKDF2, and N × r × p of scrypt.
let work = 0

beforeEach(() => {
  const { createHash, pbkdf2, scrypt } = crypto
  vi.spyOn(crypto, 'createHash').mockImplementation((...args) => {
    work += 1
    return createHash(...args)
  })
  vi.spyOn(crypto, 'pbkdf2').mockImplementation((password, salt, iterations, ...rest) => {
    work += iterations
    pbkdf2(password, salt, iterations, ...rest)
  })
  vi.spyOn(crypto, 'scrypt').mockImplementation((...args: readonly unknown[]) => {
    const { cost, blockSize, parallelization } = Object(args[3])
    work += cost * blockSize * parallelization
    Reflect.apply(scrypt, undefined, args)
  })
  syncBuiltinESMExports()
})

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const workOf = async (hasher: LegacyHasher, password: string, stored: string | undefined): Promise<number> => {
  work = 0
  await hasher.verify(password, stored)
  return work
}

const phrase = 'correct horse battery staple'
const signerKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='
const unreadable = '$2b$04$bvIG6Nmid91Mu9RcmmWZfOtRp7Ps.N5KO1jyXlgiKtbn8sESEDtwC'

// A hash with less work than the configured one, and the full work.
const kinds: readonly (readonly [name: string, hasher: LegacyHasher, stored: string, full: number])[] = [
  ['phpass', phpassHasher({ cost: 9 }), '$P$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ/', 1 + 2 ** 9],
  [
    'Django',
    djangoHasher({ iterations: 5_000 }),
    'pbkdf2_sha256$1000$seasalt$3xmXbyk2QpiyNcnoBbzRPwEBsYPTbDlRdtmLyBvQltA=',
    5_000,
  ],
  [
    'a PHC string of scrypt',
    scryptHasher({ cost: 2 ** 6, blockSize: 8, parallelization: 3 }),
    '$scrypt$ln=4,r=1,p=1$mhNCKEVoDWGslfLeO0eolQ$mryC8pYhwbc2s3esPWqS6BOj20nVVP6rmtCt5oDNbgY',
    2 ** 6 * 8 * 3,
  ],
  ['a salt and a key of scrypt', scryptHasher({ cost: 2 ** 6 }), `${'0a'.repeat(16)}:${'0b'.repeat(64)}`, 2 ** 6 * 8],
  [
    'Firebase',
    firebaseHasher({ signerKey, saltSeparator: 'Bw==', memoryCost: 6 }),
    `$firebase$42xEC+ixf3L2lw==$${signerKey}`,
    2 ** 6 * 8,
  ],
]

describe.each(kinds)('the work of one attempt for %s', (_, hasher, stored, full) => {
  it.each([
    ['a hash with less work', phrase, stored],
    ['a wrong password', 'another', stored],
    ['no hash', phrase, undefined],
    ['an empty hash', phrase, ''],
    ['a hash of another kind', phrase, unreadable],
    ['a truncated hash', phrase, stored.slice(0, -9)],
    ['a password of 4,096 quotes', "'".repeat(4_096), stored],
  ])('is the configured work for %s', async (__, password, given) => {
    const done = await workOf(hasher, password, given)
    // The rest is less than two iterations of scrypt, which cannot be measured.
    expect(done).toBeGreaterThan(full - 16)
    expect(done).toBeLessThanOrEqual(full)
  })
})

describe('a password that is compared in several forms', () => {
  it.each([
    ['spaces around it, for phpass', phpassHasher({ cost: 7 }), ' spaced ', '$P$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ/', 2],
    ['quotes in it, for phpass', phpassHasher({ cost: 7 }), "it's", '$P$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ/', 2],
    ['both, for phpass', phpassHasher({ cost: 7 }), " it's ", '$P$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ/', 4],
    [
      'a decomposed accent, for scrypt',
      scryptHasher({ cost: 64 }),
      'e\u0301',
      `${'0a'.repeat(16)}:${'0b'.repeat(64)}`,
      2,
    ],
  ])('takes the same work with and without a stored hash: %s', async (_, hasher, password, stored, forms) => {
    const done = await workOf(hasher, password, stored)
    expect(done).toBe(forms * (await workOf(hasher, 'plain', stored)))
    expect(await workOf(hasher, password, undefined)).toBe(done)
  })
})

describe('phpass', () => {
  it('lets other work run on the main thread between slices of its own work', async () => {
    let turns = 0
    const count = (): void => {
      turns += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await phpassHasher({ cost: 12 }).verify(phrase, undefined)
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(2 ** 12 / 256)
  })

  it.each([
    ['4,096 letters', 'x'.repeat(4_096)],
    ['a space and 4,095 quotes', ` ${"'".repeat(4_095)}`],
    ['a space, a quote and 4,094 letters of three bytes', ` '${'€'.repeat(4_094)}`],
    ['a space and 511 quotes', ` ${"'".repeat(511)}`],
  ])('never hashes more than 1,024 bytes of a password in a round: %s', async (_, password) => {
    const update = vi.spyOn(crypto.Hash.prototype, 'update')
    await phpassHasher({ cost: 7 }).verify(password, undefined)
    const lengths = update.mock.calls.map(([bytes]) => Buffer.byteLength(bytes))
    expect(lengths.length).toBeGreaterThan(2 ** 7)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(16 + 1_024)
  })

  it.each([
    ['512 bytes', 'x'.repeat(512), '$P$5IQRaTwmfTITrGeXCObtiD29kgQtzf1', 'match'],
    ['513 bytes', 'x'.repeat(513), '$P$5IQRaTwmfPv.676ElBDkx/zR14.J990', 'mismatch'],
    ['256 letters of two bytes', 'é'.repeat(256), '$P$5IQRaTwmfdfxWoP5qInbQZyo7kso951', 'match'],
    ['257 letters of two bytes', 'é'.repeat(257), '$P$5IQRaTwmfzvM9obeNSy3qPoOfdxQ0p/', 'mismatch'],
    ['513 bytes, for the hash of no password', 'x'.repeat(513), '$P$5IQRaTwmfkCBqt/L6lbOadOshMpcbX.', 'mismatch'],
  ])('matches a password of up to 512 bytes: %s', async (_, password, stored, match) => {
    expect(await phpassHasher({ cost: 7 }).verify(password, stored)).toBe(match)
  })
})
