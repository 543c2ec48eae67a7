import { findStores } from '../../src/cluster/stores.js'
import { declareStoreCases } from './support/declare-store-cases.js'

// instances-over-one-store.test.ts has SQLite.
declareStoreCases((await findStores()).filter(({ name }) => name !== 'SQLite'))
