export { bundlePrograms } from './bundle-programs.js'
export { type ClusterNodes, explainMissingCluster, startClusterNodes } from './cluster-nodes.js'
export {
  askRedis,
  connectTo,
  createDatabaseName,
  type DatabaseServer,
  describeMissing,
  type FreshDatabase,
  findDatabases,
  findRedis,
  isListening,
} from './databases.js'
export { listenForEnd } from './end-early.js'
export { findByCredentials } from './find-records.js'
export { listen } from './listen.js'
export { beforeLockWaitTimeout, findUpdates, whileSessionsLocked } from './locked-sessions.js'
export { readMeasurements, toMarkdownTable, writeMeasurements } from './measurements.js'
export { openAll, openEach, withOpened } from './open-all.js'
export type { OwnServer } from './own-server.js'
export { findOwnServers, findPrograms, type OwnServerKind } from './own-servers.js'
export { explainMissing, isPresent, type Prerequisite } from './prerequisite.js'
export { type ProgramEnding, type RemoteProgram, serveParent, startRemoteProgram } from './remote-program.js'
export { findLeaks, findSecrets, type Secrets, textsOf } from './secrets.js'
export { findFreePort, type ServerProcess, startServerProcess } from './server-process.js'
export {
  galeraLibrary,
  galeraProgram,
  pgbouncerProgram,
  postgresProgram,
  redisProgram,
  sentinelProgram,
  standbyProgram,
} from './server-programs.js'
export { shortenRefusalDelays } from './test-clock.js'
