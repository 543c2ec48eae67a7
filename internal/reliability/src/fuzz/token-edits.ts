import { signParts } from '@jwt-auth/test-support/token-forger'
import fc from 'fast-check'

/** A change of an issued token before it is presented. */
export type TokenEdit =
  | { readonly kind: 'none' }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'turn a bit'; readonly at: number; readonly bit: number }
  | { readonly kind: 'replace'; readonly at: number; readonly length: number; readonly text: string }
  | { readonly kind: 'add'; readonly text: string }
  | { readonly kind: 'parts'; readonly order: readonly number[] }
  | { readonly kind: 'spell'; readonly part: number; readonly spelling: Spelling }
  /**
   * A member is set or added a second time, and the token is signed again with the secret. Only a thief of the secret can do
   * this.
   */
  | SignedEdit
  /** Another text in place of the token. */
  | { readonly kind: 'other'; readonly text: string }

/** A member of the header or the claims that was set, or added a second time. */
export interface SignedEdit {
  readonly kind: 'sign'
  readonly part: 'header' | 'claims'
  readonly member: string
  readonly json: string
  readonly isTwice: boolean
}

const spellings = [
  'padded',
  'base64',
  'stray bits',
  'encoded twice',
  'percent',
  'upper case',
  'with a line feed',
] as const
type Spelling = (typeof spellings)[number]

/** The tokens that an edit changes. */
export interface EditedTokens {
  readonly token: string
  /** An issued token of another session. Edits may use its parts. */
  readonly other: string
  readonly secret: string
}

const position = fc.nat({ max: 600 })
const words = (text: string): readonly string[] => text.split(' ')
const members = words('alg typ kid crit b64 jku jwk iss sub aud exp nbf iat jti sid data role __proto__ constructor')
const aCentury = 4_102_444_800
const shapes = [
  ...words(
    'null "" "none" "HS512" "JWT" "../../dev/null" 0 -1 1e400 253402300800 {"user":{"id":8}} {"user":{"id":"7"}}',
  ),
  ...words(`[] {} "\\ud800" "\\u0000" 7 "7" "8" true 0.5 1E3 ${aCentury} ${aCentury}.5 "${aCentury}" ${aCentury}000`),
]

/** The edits of an attacker who has a token and not the secret. */
export const unsignedEdits: fc.Arbitrary<TokenEdit> = fc.oneof(
  fc.constant<TokenEdit>({ kind: 'none' }),
  fc.record({ kind: fc.constant('cut'), at: position }),
  fc.record({ kind: fc.constant('turn a bit'), at: position, bit: fc.nat({ max: 7 }) }),
  fc.record({
    kind: fc.constant('replace'),
    at: position,
    length: fc.nat({ max: 4 }),
    text: fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('.', '=', '-', 'A')),
  }),
  fc.record({
    kind: fc.constant('add'),
    text: fc.oneof(fc.constantFrom('A', '=', '.', ' '), fc.string({ maxLength: 4 })),
  }),
  fc.record({ kind: fc.constant('parts'), order: fc.array(fc.nat({ max: 5 }), { maxLength: 5 }) }),
  fc.record({ kind: fc.constant('spell'), part: fc.nat({ max: 2 }), spelling: fc.constantFrom(...spellings) }),
  fc.record({ kind: fc.constant('other'), text: fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 40 })) }),
)

const signedEdits: fc.Arbitrary<TokenEdit> = fc.record({
  kind: fc.constant('sign'),
  part: fc.constantFrom('header', 'claims'),
  member: fc.constantFrom(...members, ''),
  json: fc.oneof(fc.constantFrom(...shapes), fc.json({ maxDepth: 2 })),
  isTwice: fc.boolean(),
})

/** All edits, including those of an attacker who has the secret. */
export const tokenEdits: fc.Arbitrary<TokenEdit> = fc.oneof({ weight: 3, arbitrary: unsignedEdits }, signedEdits)

/** Returns the edited token. */
export const applyEdit = (edit: TokenEdit, { token, other, secret }: EditedTokens): string => {
  const parts = token.split('.')
  switch (edit.kind) {
    case 'none':
      return token
    case 'cut':
      return token.slice(0, edit.at % token.length)
    case 'turn a bit':
      return turnBit(token, edit)
    case 'replace': {
      const at = edit.at % (token.length + 1)
      return token.slice(0, at) + edit.text + token.slice(at + edit.length)
    }
    case 'add':
      return token + edit.text
    case 'parts':
      return edit.order.map((index) => [...parts, ...other.split('.')][index]).join('.')
    case 'spell':
      return parts.map((part, index) => (index === edit.part ? spell[edit.spelling](part) : part)).join('.')
    case 'sign':
      return sign(edit, token, secret)
    case 'other':
      return edit.text
  }
}

const turnBit = (token: string, { at, bit }: { readonly at: number; readonly bit: number }): string => {
  const index = at % token.length
  return token.slice(0, index) + String.fromCharCode(token.charCodeAt(index) ^ (1 << bit)) + token.slice(index + 1)
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const spell: Readonly<Record<Spelling, (part: string) => string>> = {
  padded: (part) => `${part}=`,
  base64: (part) => part.replaceAll('-', '+').replaceAll('_', '/'),
  'stray bits': (part) => part.slice(0, -1) + alphabet.charAt((alphabet.indexOf(part.slice(-1)) + 1) % 64),
  'encoded twice': (part) => Buffer.from(part).toString('base64url'),
  percent: (part) => `%${part.charCodeAt(0).toString(16)}${part.slice(1)}`,
  'upper case': (part) => part.toUpperCase(),
  'with a line feed': (part) => `${part.slice(0, 4)}\n${part.slice(4)}`,
}

const sign = (edit: SignedEdit, token: string, secret: string): string => {
  const [header = '', claims = ''] = token.split('.')
  return edit.part === 'header'
    ? signParts(write(edit, header), claims, { secret })
    : signParts(header, write(edit, claims), { secret })
}

const write = ({ member, json, isTwice }: SignedEdit, part: string): string => {
  const text = Buffer.from(part, 'base64url').toString()
  const kept = isTwice ? text : JSON.stringify({ ...JSON.parse(text), [member]: undefined })
  return Buffer.from(`${kept.slice(0, -1)},${JSON.stringify(member)}:${json}}`).toString('base64url')
}
