export { redisLimits } from './redis-limits.js'
export type { RedisStorageOptions } from './redis-options.js'
export { type RedisStorage, redisStorage } from './redis-storage.js'
export type { RedisScriptClient } from './script-runner.js'
