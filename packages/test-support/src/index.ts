export { connectTo, type DatabaseServer, type FreshDatabase, findDatabases, isListening } from './databases.js'
export { findFreePort } from './free-port.js'
export { type ServerProcess, startServerProcess } from './server-process.js'
