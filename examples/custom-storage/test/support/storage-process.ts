import { serveStorage } from '@jwt-auth/storage-conformance'
import { open } from 'lmdb'
import { lmdbStorage } from '../../src/lmdb-storage.js'

// A process opens a database once. `open` of lmdb returns the same database for the same path.
serveStorage((path: string) => lmdbStorage(open({ path, encoding: 'string' })))
