export { type RedisStorageOptions, redisStorage } from './redis-storage.js'
export { RedisStorageError } from './redis-storage-error.js'
export type { RedisScriptClient } from './run-script.js'
