export { redisLimits } from './redis-limits.js'
export type { RedisStorageOptions } from './redis-options.js'
export { type RedisStorage, redisStorage } from './redis-storage.js'
export type { RedisScriptClient, ScriptCommandOptions, ScriptCommands, ScriptInput } from './script-runner.js'
