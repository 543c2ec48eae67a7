import { describe, expect, it } from 'vitest'
import { bcryptHasher } from '../../src/index.js'
import { djangoHasher, firebaseHasher, phpassHasher, scryptHasher } from '../../src/legacy-hashers.js'

const phrase = 'correct horse battery staple'
const other = 'pässwörd €'
const decomposed = 'pa\u0308sswo\u0308rd €'

const hashers = {
  // The lowest cost keeps the tests fast: these hashes have the work of their own cost.
  phpass: phpassHasher({ cost: 7 }),
  django: djangoHasher({ iterations: 1 }),
  scrypt: scryptHasher({ cost: 2 }),
  betterAuth: scryptHasher({ blockSize: 16 }),
  hexSalt: scryptHasher({ salt: 'hex' }),
  // The parameters of the README of github.com/firebase/scrypt.
  firebase: firebaseHasher({
    signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
    saltSeparator: 'Bw==',
  }),
  bcrypt: bcryptHasher({ cost: 4 }),
}

const firebaseSalt = '42xEC+ixf3L2lw=='
const firebaseHash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='

type KnownHash = readonly [source: string, password: string, hasher: keyof typeof hashers, hash: string]

const knownHashes: readonly KnownHash[] = [
  // `HashPassword` of wp-includes/class-phpass.php (WordPress 6.1.9, phpass 0.5) on PHP 8.2.36.
  ['WordPress', phrase, 'phpass', '$P$BUaV/wwDYHomtkoDCEeLanJZaLj6L80'],
  ['WordPress', other, 'phpass', '$P$BNrWzVCjWRWhnSMmL0IKzhvDT2oDNm1'],
  ['WordPress', 'p', 'phpass', '$P$BLDzqedwCUjTSbWY7q2rU41koaMkxm/'],
  // The same class with `trim(addslashes($password))`: wp_magic_quotes() and wp_hash_password() of WordPress 6.1.
  ['a form of WordPress', 'it\'s a "test"', 'phpass', '$P$Bwi5z8S4LoTR34gSlCKt7KS5lc.Pj80'],
  ['a form of WordPress', ' spaced out \t', 'phpass', '$P$B8pqAG7HWIhs3Bbu7Q.c3nYhTODaj9.'],
  // The same class with 2^10 and 2^12 rounds, as other PHP applications set them.
  ['phpass', phrase, 'phpass', '$P$8sV843/COiD8veKRKFrTT83FXuJVS/1'],
  ['phpass', other, 'phpass', '$P$AJjljI5x3i5t2wlMQUeoz6rlbJ5WHD.'],
  // `crypt_private` of the same class with phpBB's identifier and the settings `$H$9IQRaTwmf` and `$P$5IQRaTwmf`.
  ['phpBB', phrase, 'phpass', '$H$9IQRaTwmfv8BiZ2dOqKxSS.OOxedEk.'],
  ['phpBB', other, 'phpass', '$H$9IQRaTwmf3YQFEwOdur4PmneMbRx.11'],
  ['phpass with 2^7 rounds', phrase, 'phpass', '$P$5IQRaTwmfzwHIt8x21PVyb7fM91vMQ/'],

  // `PBKDF2PasswordHasher().encode` of Django 3.2.25: with the default number of iterations, and with 1,000.
  [
    'Django',
    phrase,
    'django',
    'pbkdf2_sha256$260000$IuBXUcpIqxXSr8hyESRhHf$wqI9QDNDc+NEtuXHmmFoQGbkaq5JwZk6KdbGZxhOMIM=',
  ],
  ['Django', other, 'django', 'pbkdf2_sha256$1000$cqo9pwvjKMW5zK6Vwo23Pf$Eg5CwrnxGJ0OdYEsJiQE4Els4WzXx43cXbFd9+XL4rk='],
  ['Django', phrase, 'django', 'pbkdf2_sha256$1000$seasalt$3xmXbyk2QpiyNcnoBbzRPwEBsYPTbDlRdtmLyBvQltA='],

  // `passlib.hash.scrypt` of passlib 1.7.4, which writes the strings of `@phc/scrypt`.
  [
    'passlib',
    phrase,
    'scrypt',
    '$scrypt$ln=14,r=8,p=1$fe99DwFASGnNOec8J8QYAw$ChOtHri2WLwvTnjyVJurLAsZR5CZPs/OwHl9EPLud+Q',
  ],
  [
    'passlib',
    other,
    'scrypt',
    '$scrypt$ln=10,r=8,p=2$hxDCuDeGEEJIiRFCKIWwlg$jScHpTrZx4yIPOmGsIDEj/1PRrI8LFUkfQobsrLVPlw',
  ],
  [
    'passlib',
    phrase,
    'scrypt',
    '$scrypt$ln=4,r=1,p=1$mhNCKEVoDWGslfLeO0eolQ$mryC8pYhwbc2s3esPWqS6BOj20nVVP6rmtCt5oDNbgY',
  ],
  // `new Scrypt({}).make` and `new Scrypt({ cost: 1024 }).make` of @adonisjs/hash 10.1.1.
  [
    'AdonisJS',
    phrase,
    'scrypt',
    '$scrypt$n=16384,r=8,p=1$p+Y1yn08idtBNvxTeaVMug$38VnKF8fAXhSVmCx3mKQQs5DK5a6WiQOtG27CSCyEGPCzmPxStnw++gYU0ZdHs3YtbxkCDrdub+Hg2sKGM6AeQ',
  ],
  [
    'AdonisJS',
    other,
    'scrypt',
    '$scrypt$n=1024,r=8,p=1$RCzAzGPK2W53GDkh56iuog$mmGlsLEFsvp+hAjoEQoCuKwpw2R5kJkKhRxKrXFBFULBFHyE6nL8M4QXBH6+3xP9AL3ridiRWijCjcJATx32GA',
  ],
  // `hashPassword` of better-auth 1.7.25 (better-auth/crypto), which hashes the form NFKC. Lucia writes the same form.
  [
    'better-auth',
    phrase,
    'betterAuth',
    '3358e2de2ce473773df887cedae19d15:56bb3370bd742e10003e2d51b0fb5b89cdcc2bf944ca2f60cedc156ac0548261bbb701b36d10b9ca9a7b650d5eb7e2931aaf20b928e8e21c6d8b25106e8cc74a',
  ],
  [
    'better-auth',
    decomposed,
    'betterAuth',
    '62f8eabe23e1b5fbad177ad3fd73c46c:2ee22fe45e125043b319ad2a8c20405108b5f81233bc735584047b12c37367ece2316413bdd6f4a01d0a70cb78dd5b22c4ae8dc7feea42f455693c03933e3bbb',
  ],
  // RFC 7914, section 12: the password is `pleaseletmein`, the salt is `SodiumChloride`, and N = 16384, r = 8, p = 1.
  [
    'RFC 7914',
    'pleaseletmein',
    'hexSalt',
    `${Buffer.from('SodiumChloride').toString('hex')}.7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887`,
  ],

  // The README of github.com/firebase/scrypt. The Admin SDK writes base64url.
  ['Firebase', 'user1password', 'firebase', `$firebase$${firebaseSalt}$${firebaseHash}`],
  [
    "Firebase's Admin SDK",
    'user1password',
    'firebase',
    `$firebase$${firebaseSalt}$${firebaseHash}`.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  ],

  // `password_hash($password, PASSWORD_BCRYPT)` of PHP 8.2.36, which Laravel's `Hash::make` calls, with the costs 12 and 4.
  ['Laravel', phrase, 'bcrypt', '$2y$12$5g/7la2qXMksVGRXNXuNr.tNW7ngfU8V3ZBKHErkvOew8Vgb94h5W'],
  ['Laravel', other, 'bcrypt', '$2y$04$z7.jdKV3uCnd4kUsjRmS7OHN2TZ0CwJmmcU9M6AgV3U//YJy.E58G'],
]

describe('a hash of another program', () => {
  it.each(knownHashes)('matches its password only: %s, %s (%s, %s)', async (_, password, name, hash) => {
    const hasher = hashers[name]
    expect(hasher.isReadable?.(hash)).toBe(true)
    expect(await hasher.verify(password, hash)).not.toBe('mismatch')
    for (const wrong of [`${password}x`, `x${password}`, password.toUpperCase()]) {
      expect([wrong, await hasher.verify(wrong, hash)]).toEqual([wrong, 'mismatch'])
    }
  })

  it('is not replaced at the login when WordPress has cut spaces that the password has', async () => {
    const hash = '$P$B8pqAG7HWIhs3Bbu7Q.c3nYhTODaj9.'
    expect(await hashers.phpass.verify(' spaced out \t', hash)).toBe('truncated')
    expect(await hashers.phpass.verify('spaced out', hash)).toBe('match')
  })
})
