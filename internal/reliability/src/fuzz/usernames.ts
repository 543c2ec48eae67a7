import fc from 'fast-check'

// Spellings of the user's name, and texts that could be mistaken for it.
const spellings = [
  ...['ada', 'ADA', 'Ada', ' ada ', '\uff41\uff44\uff41', 'a\u0064a', 'ada\u0000', '\u0430da', 'ad\u0430', 'ad\u00e1'],
  ...[
    'ada\u0301',
    'ada\u200d',
    '\u202eada',
    'ada\ufeff',
    '\u24d0da',
    'ada\u00a0',
    'ada\ud800',
    "ada' OR '1'='1",
    'ada;--',
  ],
]

/** Names with characters of every kind, including lone surrogates, and with lengths that no column accepts. */
export const usernames: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...spellings) },
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes)),
  fc
    .tuple(fc.constantFrom('a', '\u0301', '\u1100', '\ufdfa', '\u{1f600}'), fc.nat({ max: 5_000 }))
    .map(([one, times]) => one.repeat(times)),
)
