import { describe, expect, it } from 'vitest'
import type { LegacyHasher } from '../../src/index.js'
import { djangoHasher, firebaseHasher, phpassHasher, scryptHasher } from '../../src/legacy-hashers.js'

const signerKey = Buffer.alloc(64, 7).toString('base64')
const cheap = {
  phpass: phpassHasher({ cost: 7 }),
  django: djangoHasher({ iterations: 1 }),
  scrypt: scryptHasher({ cost: 2 }),
  firebase: firebaseHasher({ signerKey, saltSeparator: 'Bw==', memoryCost: 1 }),
}

const phpass = '$P$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ/'
const django = 'pbkdf2_sha256$1000$seasalt$3xmXbyk2QpiyNcnoBbzRPwEBsYPTbDlRdtmLyBvQltA='
const [salt, key] = ['mhNCKEVoDWGslfLeO0eolQ', 'mryC8pYhwbc2s3esPWqS6BOj20nVVP6rmtCt5oDNbgY']
const phc = (cost: string): string => `$scrypt$${cost}$${salt}$${key}`
const pair = `${'0a'.repeat(16)}:${'0b'.repeat(64)}`
const firebase = `$firebase$42xEC+ixf3L2lw==$${signerKey}`

/** Changes that make a hash of every hasher unreadable. */
const everywhere = (hash: string): readonly string[] => [
  '',
  ` ${hash}`,
  `${hash} `,
  `${hash}\n`,
  `${hash}\0`,
  `${hash}$`,
  hash.slice(0, -6),
  hash.slice(1),
  `x${hash}`,
  `${hash}${hash}`,
]

const unreadable: readonly (readonly [kind: string, hasher: LegacyHasher, hash: string, forms: readonly string[]])[] = [
  [
    'a hash of phpass',
    cheap.phpass,
    phpass,
    [
      '$P$4IQRaTwmfzwHIt8x21PVyb7fM91vMQ/', // 2^6 rounds
      '$P$HIQRaTwmfzwHIt8x21PVyb7fM91vMQ/', // 2^19 rounds
      '$P$SIQRaTwmfzwHIt8x21PVyb7fM91vMQ/', // 2^30 rounds
      '$P$zIQRaTwmfzwHIt8x21PVyb7fM91vMQ/', // 2^63 rounds
      '$P$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ2', // unused bits
      '$P$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ+',
      '$p$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ/',
      '$S$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ/', // Drupal 7
      '_J9..K0AyUubKLSfdmEZ', // phpass without bcrypt
      '5f4dcc3b5aa765d61d8327deb882cf99', // MD5
    ],
  ],
  [
    'a hash of django',
    cheap.django,
    django,
    [
      django.replace('1000', '0'),
      django.replace('1000', '01000'),
      django.replace('1000', '1e3'),
      django.replace('1000', '-1'),
      django.replace('1000', '5000001'),
      django.replace('1000', '99999999999999999999'),
      django.replace('seasalt', ''),
      django.replace('seasalt', 'sea salt'),
      django.replace('seasalt', 'x'.repeat(129)),
      django.replace('tA=', 'tB='), // unused bits
      django.replace('tA=', 'tA'),
      django.replace('$3x', '$-x'),
      django.replace('sha256', 'sha1'),
      django.replace('sha256', 'sha512'),
    ],
  ],
  [
    'a PHC string of scrypt',
    cheap.scrypt,
    phc('ln=4,r=1,p=1'),
    [
      phc('ln=0,r=8,p=1'),
      phc('ln=18,r=8,p=1'), // 256 MiB
      phc('ln=14,r=65,p=1'), // more than 128 MiB
      phc('ln=17,r=8,p=5'), // more than four times the work of 128 MiB
      phc('ln=9999999,r=8,p=1'),
      phc('ln=04,r=8,p=1'),
      phc('n=16383,r=8,p=1'), // no power of two
      phc('n=1,r=8,p=1'),
      phc('ln=4,p=1,r=8'),
      phc('ln=4,r=0,p=1'),
      phc('ln=4,r=8,p=0'),
      phc('ln=4,r=8'),
      phc('ln=4,r=8,p=1,x=1'),
      `$scrypt$ln=4,r=1,p=1$${salt}`,
      `$scrypt$ln=4,r=1,p=1$${salt.slice(0, -1)}R$${key}`, // unused bits
      `$scrypt$ln=4,r=1,p=1$${salt}$${key.slice(0, -1)}Z`,
      `$scrypt$ln=4,r=1,p=1$${salt}==$${key}`,
      `$7$C6..../....${salt}$${key}`,
      'scrypt:32768:8:1$salt$0a0b0c', // Werkzeug
    ],
  ],
  [
    'a salt and a key of scrypt',
    cheap.scrypt,
    pair,
    [
      pair.replace(':', ''),
      pair.replace(':', '$'),
      pair.replace('0a', '0g'),
      pair.replace('0a', '0'),
      `0a:${'0b'.repeat(64)}`,
      `${'0a'.repeat(16)}:${'0b'.repeat(31)}`,
      `${'0a'.repeat(129)}:${'0b'.repeat(64)}`,
      `${'0a'.repeat(16)}:${'0b'.repeat(63)}`, // truncated
      `${'0a'.repeat(16)}:${'0b'.repeat(65)}`,
    ],
  ],
  [
    'a hash of firebase',
    cheap.firebase,
    firebase,
    [
      firebase.replace('$firebase', '$fbscrypt'),
      firebase.replace('42xEC+ixf3L2lw==', ''),
      firebase.replace('lw==', 'lx=='), // unused bits
      firebase.replace('lw==', 'l w=='),
      `$firebase$42xEC+ixf3L2lw==$${Buffer.alloc(32).toString('base64')}`, // of a shorter signer key
    ],
  ],
]

describe.each(unreadable)('%s, in a form that no program writes', (_, hasher, hash, forms) => {
  it('differs from a form that is read', () => {
    expect(hasher.isReadable?.(hash)).toBe(true)
  })

  it.each([...forms, ...everywhere(hash)].map((form) => [form]))(
    'is not read, and matches nothing: %j',
    async (form) => {
      expect(hasher.isReadable?.(form)).toBe(false)
      expect(await hasher.verify('password', form)).toBe('mismatch')
    },
  )
})

describe('a user of Django without a password', () => {
  // `make_password(None)` of Django 3.2.25.
  const unusable = '!iaBSkclaBdzqoGv9iMtiCrM4fliGEkIu992yRkiU'

  it('is no mistake that is reported, and no password matches', async () => {
    expect(cheap.django.isReadable?.(unusable)).toBe(true)
    for (const password of ['', '!', unusable, unusable.slice(1)]) {
      expect(await cheap.django.verify(password, unusable)).toBe('mismatch')
    }
  })
})

describe('the options of a legacy hasher', () => {
  it.each<[string, string, () => unknown]>([
    ['phpassHasher', 'cost', () => phpassHasher({ cost: 6 })],
    ['phpassHasher', 'cost', () => phpassHasher({ cost: 19 })],
    ['phpassHasher', 'rounds', () => Reflect.apply(phpassHasher, undefined, [{ rounds: 8192 }])],
    ['djangoHasher', 'iterations', () => djangoHasher({ iterations: 0 })],
    ['djangoHasher', 'iterations', () => djangoHasher({ iterations: 5_000_001 })],
    ['scryptHasher', 'cost', () => scryptHasher({ cost: 16_383 })],
    ['scryptHasher', 'cost', () => scryptHasher({ cost: 2 ** 17, blockSize: 16 })],
    ['scryptHasher', 'cost', () => scryptHasher({ cost: 2 ** 17, parallelization: 5 })],
    ['scryptHasher', 'blockSize', () => scryptHasher({ blockSize: 0 })],
    ['scryptHasher', 'parallelization', () => scryptHasher({ parallelization: 65 })],
    ['scryptHasher', 'salt', () => Reflect.apply(scryptHasher, undefined, [{ salt: 'base64' }])],
    ['firebaseHasher', 'signerKey', () => firebaseHasher({ signerKey: undefined, saltSeparator: 'Bw==' })],
    ['firebaseHasher', 'signerKey', () => firebaseHasher({ signerKey: 'a secret', saltSeparator: 'Bw==' })],
    ['firebaseHasher', 'saltSeparator', () => firebaseHasher({ signerKey, saltSeparator: '' })],
    ['firebaseHasher', 'rounds', () => firebaseHasher({ signerKey, saltSeparator: 'Bw==', rounds: 9 })],
    ['firebaseHasher', 'memoryCost', () => firebaseHasher({ signerKey, saltSeparator: 'Bw==', memoryCost: 15 })],
  ])('are refused by %s with the name of the wrong option: %s (%#)', (_, option, create) => {
    expect(create).toThrow(TypeError)
    expect(create).toThrow(`${option}\``)
    expect(create).not.toThrow('a secret')
  })
})
