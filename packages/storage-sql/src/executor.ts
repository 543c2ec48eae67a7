// For executors of other clients.
export { createFairQueue } from '@jwt-auth/core/internal'
export type { PooledClient } from './pooled-client.js'
export { createPooledExecutor } from './pooled-executor.js'
