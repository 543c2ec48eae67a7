export type { RedisStorageOptions } from './redis-options.js'
export { redisStorage } from './redis-storage.js'
export type { RedisScriptClient, ScriptCommandOptions, ScriptCommands, ScriptInput } from './script-runner.js'
