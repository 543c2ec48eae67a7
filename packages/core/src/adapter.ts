export { setupError } from './errors/auth-error.js'
export { toNetwork } from './network.js'
export {
  checkOptionNames,
  describeValue,
  findClosestName,
  isPromise,
  optionError,
  readBoolean,
  readFunction,
  readInteger,
  readSystem,
  readText,
} from './option-checks.js'
export { tokenServiceOptionNames } from './options/resolve-options.js'
export { mostIdsInBatch, mostSessionsInList, sessionStorageMethods } from './ports/session-storage.js'
export { requireCompatibleSchema, toStorageStatus } from './ports/storage-status.js'
