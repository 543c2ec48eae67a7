import { toAccountKey } from '@jwt-auth/core/internal/limits/account-key'
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

const isPlain = ({ written }: Character): boolean => written !== null && /^[!-~]$/.test(written)

// From 33 to 65535. The servers write a sequence of numbers in different ways.
const digit = Array.from({ length: 16 }, (_, number) => `select ${number} as n`).join(' union all ')
const codePoints = `select a.n * 4096 + b.n * 256 + c.n * 16 + d.n as code_point from (${digit}) a, (${digit}) b, (${digit}) c, (${digit}) d having code_point >= 33`

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

    /**
     * Every character that a name may have, beside an ASCII character that the collation sorts at
     * the same place.
     */
    const findTwins = async (collation: string): Promise<readonly (readonly [string, string])[]> => {
      const character = `convert(char(code_point using utf32) using utf8mb4) collate ${collation}`
      const [rows] = await knex.raw(
        `select ${character} as written, hex(weight_string(${character})) as weight from (${codePoints}) code_points`,
      )
      const plain = rows.filter(isPlain)
      return rows
        .filter((row: Character) => row.written !== null && !isPlain(row))
        .flatMap(({ written, weight }: Character) =>
          plain.filter((one: Character) => one.weight === weight).map((one: Character) => [written, one.written]),
        )
        .filter(([other = '']: readonly string[]) => canonicalUsername(`a${other}`) !== undefined)
    }

    it('by each of its collations', async () => {
      const known = await findCollations()
      expect(known.length).toBeGreaterThanOrEqual(5)
      for (const collation of known) {
        const twins = await findTwins(collation)
        expect(twins.length, collation).toBeGreaterThan(100)
        const apart = twins.filter(([other, plain]) => toAccountKey(`ad${other}`) !== toAccountKey(`ad${plain}`))
        expect(apart, collation).toStrictEqual([])
      }
    })
  },
)
