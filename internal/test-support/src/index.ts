export { bundlePrograms } from './bundle-programs.js'
export { createDatabaseName } from './database-name.js'
export {
  connectTo,
  type DatabaseServer,
  type FreshDatabase,
  findDatabases,
  findRedis,
  isListening,
} from './databases.js'
export { listenForEnd } from './end-early.js'
export { findLeaks } from './find-leaks.js'
export { findProven } from './find-proven.js'
export { findFreePort } from './free-port.js'
export { beforeLockWaitTimeout, findUpdates, whileSessionsLocked } from './locked-sessions.js'
export { describeMissing } from './missing-servers.js'
export { explainMissing, isPresent, type Prerequisite } from './prerequisite.js'
export { type ProgramEnding, type RemoteProgram, serveParent, startRemoteProgram } from './remote-program.js'
export { findSecrets, type Secrets, textsOf } from './secrets.js'
export { type ServerProcess, startServerProcess } from './server-process.js'
export { shortenRefusalDelays } from './shorten-refusal-delays.js'
