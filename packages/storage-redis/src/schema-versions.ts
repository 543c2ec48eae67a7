import type { CallOptions, SchemaVersions, StorageStatus } from '@jwt-auth/core'
import { requireCompatibleSchema, toStorageStatus } from '@jwt-auth/core/adapter'
import type { ScriptRunner } from './script-runner.js'
import { toStorageError } from './storage-error.js'

/**
 * The versions of the keys that this code reads and writes. The rules for the next version are in
 * docs/design/sql.md.
 */
export const knownSchema: SchemaVersions = { schemaVersion: 1, oldestCompatible: 1 }

interface SchemaMethods {
  readonly migrate: () => Promise<void>
  readonly status: (options?: CallOptions) => Promise<StorageStatus>
}

/**
 * Creates the methods `migrate` and `status` of a storage. One key holds the versions of its
 * schema.
 */
export const createSchemaMethods = (runFor: ScriptRunner, key: string, known: SchemaVersions): SchemaMethods => {
  const compare = (found: readonly string[]) => toStorageStatus(parseVersions(found), known.schemaVersion)
  return {
    migrate: async () => {
      const run = runFor('write the schema version', undefined)
      const values = [known.schemaVersion, known.oldestCompatible].map(String)
      requireCompatibleSchema(compare(await run(raiseVersionsScript, key, ...values)))
    },

    status: async ({ signal } = {}) => {
      const operation = 'read the schema version'
      try {
        return compare(await runFor(operation, signal)(findVersionsScript, key))
      } catch (failure) {
        const error = toStorageError(operation, failure)
        return { isReachable: false, isReady: false, knownVersion: known.schemaVersion, error }
      }
    },
  }
}

/**
 * Returns the schema version and the oldest compatible version, or an empty list before the first
 * `migrate`.
 */
const findVersionsScript = `
local version, oldest = unpack(redis.call('HMGET', KEYS[1], 'version', 'oldestCompatible'))
return version and oldest and {version, oldest} or {}
`

/**
 * ARGV: schema version, oldest compatible version. Raises both and never lowers them. Returns the
 * versions that the key holds then.
 */
const raiseVersionsScript = `
local version, oldest = unpack(redis.call('HMGET', KEYS[1], 'version', 'oldestCompatible'))
if version and oldest and tonumber(version) >= tonumber(ARGV[1]) then return {version, oldest} end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'oldestCompatible', ARGV[2])
return {ARGV[1], ARGV[2]}
`

const parseVersions = ([version = '0', oldest = '0']: readonly string[]): SchemaVersions => ({
  schemaVersion: parseVersion(version),
  oldestCompatible: parseVersion(oldest),
})

const parseVersion = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new TypeError('the schema key holds no version')
}
