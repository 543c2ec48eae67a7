export { findClosestName } from './closest-name.js'
export { setupError } from './errors/auth-error.js'
export {
  checkOptionNames,
  describeValue,
  isPromise,
  optionError,
  readBoolean,
  readFunction,
  readInteger,
  readSystem,
  readText,
} from './option-checks.js'
export { tokenServiceOptionNames } from './options/option-names.js'
export { isOwnTypeError, pointAtCaller } from './point-at-caller.js'
export { mostIdsInBatch, mostSessionsInList, sessionStorageMethods } from './ports/session-storage.js'
export { requireCompatibleSchema, toStorageStatus } from './ports/storage-status.js'
export { noteUnreadableSession } from './ports/unreadable-session.js'
