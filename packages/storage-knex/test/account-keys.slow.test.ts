import { toAccountKey } from '@jwt-auth/core/internal/limits/buckets'
import { canonicalUsername } from '@jwt-auth/passwords'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, expect, it } from 'vitest'

// Both servers have the first three, MariaDB the next two, and MySQL the last two.
const collations = [
  'utf8mb4_general_ci',
  'utf8mb4_unicode_ci',
  'utf8mb4_unicode_520_ci',
  'utf8mb4_uca1400_ai_ci',
  'utf8mb4_uca1400_as_ci',
  'utf8mb4_0900_ai_ci',
  'utf8mb4_0900_as_ci',
]

interface Character {
  /** `null` for a code point that is no character. */
  readonly written: string | null
  /** Where the collation sorts the character. */
  readonly weight: string
}

// The servers write a sequence of numbers in different ways.
const digit = Array.from({ length: 16 }, (_, number) => `select ${number} as n`).join(' union all ')
const codePointsOf = (plane: number) =>
  `select ${plane * 65_536} + a.n * 4096 + b.n * 256 + c.n * 16 + d.n as code_point from (${digit}) a, (${digit}) b, (${digit}) c, (${digit}) d having code_point >= 33`

/** Whether a name that contains a character, alone or behind `a`, reaches the directory unchanged. */
const isInNames = (character: string): boolean =>
  [character, `a${character}`].some((name) => canonicalUsername(name) === name)

// Old collations take all characters above U+FFFF for one, and new ones take these digits, kana and
// Arabic letters for those below. Both cannot be under one account, unless all digits are.
const isAlsoBelow = (character: string): boolean =>
  /[\u{10000}-\u{10ffff}]/u.test(character) && /[\p{Nd}\p{sc=Hira}\p{sc=Kana}\p{sc=Arab}]/u.test(character)

const mariaDb = (await findDatabases()).filter(({ name }) => name === 'MariaDB')

describeEach(
  mariaDb,
  'the limits count under one account what $name takes for one name',
  async ({ createDatabase }) => {
    const database = await createDatabase()
    const knex = database.connect()

    afterAll(() => database.drop())

    const findCollations = async (): Promise<readonly string[]> => {
      const [rows] = await knex.raw('select id, collation_name as name from information_schema.collations')
      const names = rows.map(({ name }: { readonly name: string }) => name)
      // MariaDB lists the newer collations without their character set.
      return collations.filter((name) => names.includes(name) || names.includes(name.replace('utf8mb4_', '')))
    }

    /** Returns the characters that a name may have, by their weights in a collation. */
    const findGroups = async (collation: string): Promise<readonly (readonly string[])[]> => {
      const groups = new Map<string, string[]>()
      const character = `convert(char(code_point using utf32) using utf8mb4) collate ${collation}`
      for (const plane of [0, 1, 2, 3]) {
        const [rows] = await knex.raw(
          `select ${character} as written, hex(weight_string(${character})) as weight from (${codePointsOf(plane)}) code_points`,
        )
        for (const { written, weight } of rows satisfies Character[]) {
          if (written === null || !isInNames(written)) continue
          const group = groups.get(weight)
          if (group === undefined) groups.set(weight, [written])
          else group.push(written)
        }
      }
      return [...groups.values()]
    }

    it('by each of its collations', async () => {
      const known = await findCollations()
      expect(known.length).toBeGreaterThanOrEqual(5)
      for (const collation of known) {
        const groups = (await findGroups(collation)).filter((group) => group.length > 1)
        expect(groups.length, collation).toBeGreaterThan(50)
        const isOld = groups.some((group) => group.includes('\u{20bb7}') && group.includes('\u{20000}'))
        const apart = groups
          .map((group) => group.filter((character) => !isOld || !isAlsoBelow(character)))
          .map((group) => group.filter((one) => toAccountKey(`ad${one}`) !== toAccountKey(`ad${group[0]}`)))
        expect(apart.flat(), collation).toStrictEqual([])
      }
    })
  },
)
