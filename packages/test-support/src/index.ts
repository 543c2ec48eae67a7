export { connectTo, type DatabaseServer, type FreshDatabase, findDatabases } from './databases.js'
