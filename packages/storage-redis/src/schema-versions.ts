import type { CallOptions, StorageStatus } from '@jwt-auth/core'
import { requireCompatibleSchema, type SchemaVersions, toStorageStatus } from '@jwt-auth/core/adapter'
import type { ScriptRunner } from './script-runner.js'
import { toStorageError } from './storage-error.js'

/**
 * The versions of the keys that this code reads and writes. The rules for the next version are in
 * docs/design/sql.md.
 */
export const knownSchema: SchemaVersions = { schemaVersion: 1, oldestCompatible: 1 }

/**
 * Creates the methods `migrate` and `status` of a storage.
 *
 * @param keys The key with the versions, and whether one server has all keys.
 */
export const createSchemaMethods = (
  runFor: ScriptRunner,
  { key, isOneServer }: { readonly key: string; readonly isOneServer: boolean },
  known: SchemaVersions,
) => {
  const compare = ([version = '0', oldest = '0', server = '', role, marker]: readonly string[]) =>
    toStorageStatus(
      {
        schemaVersion: parseVersion(version),
        oldestCompatible: parseVersion(oldest),
        // Each node of a cluster has an id of its own, and a failover replaces one of them.
        primary: isOneServer && server ? server : undefined,
        store: marker && `${server}/${marker}`,
        error: role === 'slave' ? replicaError : undefined,
      },
      known.schemaVersion,
    )
  return {
    migrate: async (): Promise<void> => {
      const { run } = runFor('write the schema version', undefined)
      const values = [known.schemaVersion, known.oldestCompatible].map(String)
      requireCompatibleSchema(compare(await run(raiseVersionsScript, key, ...values)))
    },

    status: async ({ signal }: CallOptions = {}): Promise<StorageStatus> => {
      const operation = 'read the schema version'
      try {
        return compare(await runFor(operation, signal).run(findVersionsScript, key))
      } catch (failure) {
        const error = toStorageError(operation, failure)
        return { isReachable: false, isReady: false, knownVersion: known.schemaVersion, error }
      }
    },
  }
}

/** The commands of all scripts, which have the key as their first argument, except `TIME`. */
const commands =
  'DEL EXISTS GET HDEL HEXISTS HGET HGETALL HINCRBY HMGET HSET PEXPIRE PEXPIREAT PEXPIRETIME SET TIME ' +
  'ZADD ZRANGE ZRANGEBYSCORE ZREM ZREMRANGEBYRANK ZSCAN'

/**
 * Returns the schema version and the oldest compatible version, which are 0 before the first
 * `migrate`, the replication id and the role, or empty texts if the user may not run `INFO`, and
 * the instant of the first `migrate`, if there was one. Fails if the user may not run a command of
 * another script: in a script, the reply of Redis does not name it.
 */
const findVersionsScript = `
local missing = not redis.acl_check_cmd('EVAL', '', '0') and 'EVAL'
for name in string.gmatch('${commands}', '%u+') do
  if not redis.acl_check_cmd(name, KEYS[1]) then missing = name end
end
if missing then return redis.error_reply("NOPERM no permissions to run the '" .. missing .. "' command") end
local version, oldest, created = unpack(redis.call('HMGET', KEYS[1], 'version', 'oldestCompatible', 'createdAt'))
local info = redis.pcall('INFO', 'replication')
local function find(pattern) return type(info) == 'string' and string.match(info, pattern) or '' end
return {version or '0', oldest or '0', find('master_replid:(%x+)'), find('role:(%a+)'), created or nil}
`

const replicaError = new Error('jwt-auth: redisStorage is connected to a replica; connect to the primary.')

/**
 * ARGV: schema version, oldest compatible version. Raises both and never lowers them. Returns the
 * versions that the key holds then. No other script of the server runs in the same microsecond: the
 * instant of the first `migrate` distinguishes the numbers of databases and the prefixes of keys.
 */
const raiseVersionsScript = `
if redis.call('HEXISTS', KEYS[1], 'createdAt') == 0 then
  redis.call('HSET', KEYS[1], 'createdAt', table.concat(redis.call('TIME'), '.'))
end
local version, oldest = unpack(redis.call('HMGET', KEYS[1], 'version', 'oldestCompatible'))
if version and oldest and tonumber(version) >= tonumber(ARGV[1]) then return {version, oldest} end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'oldestCompatible', ARGV[2])
return {ARGV[1], ARGV[2]}
`

const parseVersion = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new TypeError('the schema key holds no version')
}
