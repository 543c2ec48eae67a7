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

const mariaDb = (await findDatabases()).filter(({ name }) => name === 'MariaDB')

describeEach(
  mariaDb,
  'the limits count under one account what $name takes for one name',
  async ({ createDatabase }) => {
    const database = await createDatabase()
    const knex = database.connect()

    afterAll(() => database.drop())

    /** Every character that a name may have beside an ASCII character that the collation takes for the same. */
    const findTwins = async (collation: string): Promise<readonly (readonly [string, string])[]> => {
      const characters = (from: number, to: number): string =>
        `select convert(char(seq using utf32) using utf8mb4) collate ${collation} as written from seq_${from}_to_${to}`
      const [rows] = await knex.raw(
        `select other.written as other, plain.written as plain
      from (${characters(0x80, 0xffff)}) as other join (${characters(0x21, 0x7e)}) as plain
      on other.written = plain.written collate ${collation}`,
      )
      return rows
        .map(({ other, plain }: { readonly other: string; readonly plain: string }) => [other, plain])
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
