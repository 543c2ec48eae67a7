import {
  type CallOptions,
  requireCompatibleSchema,
  type SchemaVersions,
  type StorageStatus,
  toStorageStatus,
} from '@jwt-auth/core'
import { RedisStorageError, readErrorCode } from './redis-storage-error.js'
import type { ScriptRunner } from './run-script.js'

/** What marks which form the keys under a prefix have. */
interface SchemaMarker {
  readonly migrate: () => Promise<void>
  readonly status: (options?: CallOptions) => Promise<StorageStatus>
}

/** The form of the keys that this code reads and writes. The rules for the next one are in docs/decisions/0034. */
export const knownSchema: SchemaVersions = { schemaVersion: 1, oldestCompatible: 1 }

/** Makes the marker of a storage: one key with the versions of its schema. */
export const createSchemaMarker = (runAs: ScriptRunner, key: string, known: SchemaVersions): SchemaMarker => {
  const compare = (found: readonly string[]) => toStorageStatus(readVersions(found), known.schemaVersion)
  return {
    migrate: async () => {
      const run = runAs('migrate', undefined)
      const values = [known.schemaVersion, known.oldestCompatible].map(String)
      requireCompatibleSchema(compare(await run(raiseVersionsScript, key, ...values)))
    },

    status: async ({ signal } = {}) => {
      try {
        return compare(await runAs('status', signal)(readVersionsScript, key))
      } catch (failure) {
        const error = new RedisStorageError('status', readErrorCode(failure))
        return { isReachable: false, isReady: false, knownVersion: known.schemaVersion, error }
      }
    },
  }
}

/** On the marker's key. Returns the schema version and the oldest compatible version, if any. */
const readVersionsScript = `
local version, oldest = unpack(redis.call('HMGET', KEYS[1], 'version', 'oldestCompatible'))
return version and oldest and {version, oldest} or {}
`

/** On the marker's key. ARGV: schema version, oldest compatible version. Returns both as they are afterwards: versions only rise. */
const raiseVersionsScript = `
local version, oldest = unpack(redis.call('HMGET', KEYS[1], 'version', 'oldestCompatible'))
if version and oldest and tonumber(version) >= tonumber(ARGV[1]) then return {version, oldest} end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'oldestCompatible', ARGV[2])
return {ARGV[1], ARGV[2]}
`

const readVersions = ([version = '0', oldest = '0']: readonly string[]): SchemaVersions => ({
  schemaVersion: readVersion(version),
  oldestCompatible: readVersion(oldest),
})

const readVersion = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new TypeError('The marker of the schema holds no version.')
}
