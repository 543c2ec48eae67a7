export type { MigratableStorage } from '@jwt-auth/core/adapter'
export { redisStorage } from './redis-storage.js'
export type { RedisScriptClient } from './script-runner.js'
