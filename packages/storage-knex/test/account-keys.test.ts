import { canonicalUsername } from '@jwt-auth/core'
import { toAccountKey } from '@jwt-auth/core/internal/limits/account-key'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, expect, it } from 'vitest'

const collations = [
  'utf8mb4_general_ci',
  'utf8mb4_unicode_ci',
  'utf8mb4_unicode_520_ci',
  'utf8mb4_uca1400_ai_ci',
  'utf8mb4_uca1400_as_ci',
]

interface Character {
  readonly written: string
  /** Where the collation sorts the character. */
  readonly weight: string
}

const isPlain = ({ written }: Character): boolean => /^[!-~]$/.test(written)

const mariaDb = (await findDatabases()).filter(({ name }) => name === 'MariaDB')

describeEach(
  mariaDb,
  'the limits count under one account what $name takes for one name',
  async ({ createDatabase }) => {
    const database = await createDatabase()
    const knex = database.connect()

    afterAll(() => database.drop())

    /** Every character that a name may have, beside an ASCII character that the collation sorts at the same place. */
    const findTwins = async (collation: string): Promise<readonly (readonly [string, string])[]> => {
      const character = `convert(char(seq using utf32) using utf8mb4) collate ${collation}`
      const [rows] = await knex.raw(
        `select ${character} as written, hex(weight_string(${character})) as weight from seq_33_to_65535`,
      )
      const plain = rows.filter(isPlain)
      return rows
        .filter((row: Character) => !isPlain(row))
        .flatMap(({ written, weight }: Character) =>
          plain.filter((one: Character) => one.weight === weight).map((one: Character) => [written, one.written]),
        )
        .filter(([other = '']: readonly string[]) => canonicalUsername(`a${other}`) !== undefined)
    }

    it.each(collations)('by %s', async (collation) => {
      const twins = await findTwins(collation)
      expect(twins.length).toBeGreaterThan(100)
      expect(twins.filter(([other, plain]) => toAccountKey(`ad${other}`) !== toAccountKey(`ad${plain}`))).toStrictEqual(
        [],
      )
    })
  },
)
