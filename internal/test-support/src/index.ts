export { bundlePrograms } from './bundle-programs.js'
export { listenForEnd, readMeasurements, toMarkdownTable, writeMeasurements } from './commands.js'
export {
  askRedis,
  askSql,
  connectTo,
  createDatabaseName,
  createSqliteFile,
  type DatabaseServer,
  describeMissing,
  type FreshDatabase,
  findDatabases,
  findRedis,
  isListening,
} from './databases.js'
export { findByCredentials } from './find-records.js'
export { beforeLockWaitTimeout, findWrites, whileSessionsLocked } from './locked-sessions.js'
export { type Keep, openAll, openEach, withOpened } from './open-all.js'
export type { OwnServer } from './own-server.js'
export {
  type ClusterNodes,
  explainMissingCluster,
  findOwnServers,
  findPrograms,
  type OwnServerKind,
  startClusterNodes,
} from './own-servers.js'
export { explainMissing, isPresent, type Prerequisite } from './prerequisite.js'
export { type ProgramEnding, type RemoteProgram, serveParent, startRemoteProgram } from './remote-program.js'
export { findLeaks, findSecrets, type Secrets, textsOf } from './secrets.js'
export { findFreePort, listen, type ServerProcess, startServerProcess } from './server-process.js'
export {
  galeraLibrary,
  galeraProgram,
  pgbouncerProgram,
  postgresProgram,
  redisProgram,
  sentinelProgram,
  standbyProgram,
} from './server-programs.js'
export { createFolder, removeFolder } from './temporary-folder.js'
export { shortenRefusalDelays } from './test-clock.js'
