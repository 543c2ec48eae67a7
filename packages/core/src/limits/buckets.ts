import { createHmac } from 'node:crypto'
import { toNetworks } from '../network.js'
import type { User, UserId } from '../ports/user-directory.js'
import type { Bucket } from './attempt-counter.js'
import type { RateLimitPolicy, RateLimits, RequestLimit } from './rate-limits.js'

/** What an attempt at a login is counted under. */
export interface LoginSubject {
  /** The account of the typed name, or of the signed-in user. */
  readonly account: string
  /** The user who was found. */
  readonly user: User | undefined
  /** The network of the client. */
  readonly network: string
}

/** What a limit applies to, besides one network. */
interface Scope {
  /** Multiplies the points of the limit. @default 1 */
  readonly factor?: number
  /** What is counted together. @default the network */
  readonly parts?: readonly string[]
  readonly isForKnown?: boolean
}

// A /56 and a /48 contain 256 and 65,536 networks, so that the limits of one network would not
// limit their customer.
const of56Factor = 3
const of48Factor = 10
const accountShareOf48 = 1 / 2

// More than an unknown network has, so that guesses at other accounts never use it up.
const knownNetworkFactor = 3

const sharedBits = 20

/**
 * Creates the limits of a service. The reasons are in docs/design/rate-limits.md. No name and no
 * address can be read from the keys.
 *
 * @param secret The same on all instances that count together, and known to nobody else. Anyone
 *   with the secret could compute names that share a key with a user, and keep this user out
 *   without naming them.
 */
export const createBuckets = (policy: RateLimitPolicy, secret: Buffer) => {
  // The separator never occurs in a network. The account, which may contain anything, comes last.
  const digest = (...parts: readonly string[]): Buffer => createHmac('sha256', secret).update(parts.join('\0')).digest()

  /**
   * Returns one of 2^20 keys, so that requests without a credential cannot fill a store. Two
   * accounts may share a key. During an attack on one account, logins to the other account from
   * unknown networks are then refused too. Which accounts share a key cannot be computed without
   * the secret.
   */
  const toSharedKey = (name: string, parts: readonly string[]): string =>
    // A template would keep its parts too, which take more memory than the count.
    [`jwt_auth_${name}`, (digest(...parts).readUInt32BE() >>> (32 - sharedBits)).toString(36)].join(':')

  /**
   * Limits attempts by these parts together. `name` keeps the keys of different limits apart.
   */
  const limitBy = (
    [limit, name]: readonly [keyof RateLimits, string],
    network: string,
    { factor = 1, parts = [network], isForKnown = false }: Scope = {},
  ): Bucket => ({
    limit,
    network,
    isForKnown,
    key: toSharedKey(name, parts),
    points: Math.max(1, Math.floor(policy[limit].points * factor)),
    durationSeconds: policy[limit].durationSeconds,
  })

  return {
    /** Returns the limits of a login, and keys that nothing else has, of its mark and its user. */
    ofLogin: ({ account, user, network }: LoginSubject) => {
      // An unknown name gets a mark that no login sets, so that the lookup takes the same time.
      const owner = user === undefined ? account : toAccountOfUser(user.id)
      // The mark contains the credential version. A network that became known under an earlier
      // password, or for an earlier user with this id, is therefore unknown.
      const mark = digest(network, JSON.stringify([owner, user?.credentialVersion]))
      const [of48, of56] = toNetworks(network)
      const buckets = [
        limitBy(['accountAndNetwork', 'login_pair'], network, { parts: [network, account] }),
        limitBy(['network', 'login_network'], network),
        limitBy(['account', 'login_account'], network, { parts: [account] }),
        limitBy(['accountAndNetwork', 'login_known_pair'], network, { parts: [network, owner], isForKnown: true }),
        limitBy(['network', 'login_known_network'], network, { factor: knownNetworkFactor, isForKnown: true }),
      ]
      if (of56 !== undefined) {
        buckets.push(
          limitBy(['network', 'login_56'], of56, { factor: of56Factor }),
          limitBy(['network', 'login_48'], of48, { factor: of48Factor }),
          limitBy(['account', 'login_pair_48'], of48, { factor: accountShareOf48, parts: [of48, account] }),
        )
      }
      return { buckets, mark: `jwt_auth_known:${toExactKey(mark)}`, userKey: toExactKey(digest(owner)) }
    },
    /** Returns the limit of refused tokens at a route. */
    ofTokens: (route: string, network: string): Bucket =>
      limitBy(['tokens', 'tokens'], network, { parts: [network, route] }),
    /** Returns a limit of the application's own. */
    ofRequest: (
      { name, points, durationSeconds, key }: RequestLimit & { readonly name: string },
      network: string,
    ): Bucket => ({
      limit: name,
      network,
      isForKnown: false,
      key: toSharedKey(`own_${name}`, [key === undefined ? network : toAccountOfUser(key)]),
      points,
      durationSeconds,
    }),
  }
}

/** The limits of a service. */
export type Buckets = ReturnType<typeof createBuckets>

const toExactKey = (digest: Buffer): string => digest.toString('base64url').slice(0, 22)

/**
 * Returns the account of a user by id. The ids 1 and '1' are different accounts. The account of a
 * name never starts with a control character, so that no name has the account of a user.
 */
export const toAccountOfUser = (id: UserId): string => `\x01${typeof id}:${id}`

/**
 * Returns the account that a user name is counted under. It merges spellings that a database may
 * treat as equal, such as `ada`, `ADA`, `àda` and `ada `, or `さくら` and `サクラ`. Otherwise each
 * spelling would count as another account, with its own guesses. Names that fall together share a
 * limit, and nothing else.
 */
export const toAccountKey = (username: string): string =>
  username
    // Nobody has a longer name, and this runs before any limit applies.
    .slice(0, maxUsernameLength)
    .toLowerCase()
    .normalize('NFKD')
    .replace(compared, toPlain)
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(ignored, '')
    // Some databases take `ß` for `ss`, others for `s`.
    .replace(/s+/g, 's')

const compared =
  /(?![\0-\x7f])[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Tibt}\p{sc=Hira}\p{sc=Kana}\p{Nd}\p{M}]/gu

// The recommended scripts of UAX 31. Letters of other scripts make no difference, because
// collations merge many of them.
const scripts =
  'Arab Armn Beng Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hebr Hira ' +
  'Kana Knda Khmr Laoo Mlym Mymr Orya Sinh Taml Telu Thaa Thai Tibt'
const letters = scripts.replace(/(\w+) ?/g, '\\p{sc=$1}')
// A few letters of these scripts are marks or ligatures in some collations. Old collations take all
// characters above U+FFFF for one.
const ignored = new RegExp(
  `[^\\0-\\x7f${letters}]|[ \\p{C}\u03b9\u0d4e\u0d7c\ua8f2-\ua8f7\ufe73\\u{10000}-\\u{10ffff}]`,
  'gu',
)

const maxUsernameLength = 256

// Compares by letters alone, in Unicode's own order (UTS 10): strokes, marks, the two kana and the
// scripts of digits make no difference. Created for the first name that needs it: that takes
// several milliseconds.
let collator: Intl.Collator | undefined

const plainLetters = [
  ...'0123456789abcdefghijklmnopqrstuvwxyz',
  'ae',
  'oe',
  ...'гоכמנפצءاويیརあいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをん',
]

// A name needs up to 30,000 comparisons. Unicode has fewer than 9,000 such characters.
const remembered = new Map<string, string>()

// Returns the plain letter or digit of a character, or the character itself.
const toPlain = (character: string): string => {
  const known = remembered.get(character)
  if (known !== undefined) return known
  collator ??= new Intl.Collator('und', { sensitivity: 'base' })
  const { compare } = collator
  const plain = plainLetters.find((letter) => compare(character, letter) === 0) ?? character
  remembered.set(character, plain)
  return plain
}
