export { connectTo, type DatabaseServer, type FreshDatabase, findDatabases, isListening } from './databases.js'
