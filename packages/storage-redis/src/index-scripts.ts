import { setBackstop } from './session-scripts.js'

/** On a selector's key. ARGV: session id, backstop. Answers whether the selector is the session's now. */
export const claimSelectorScript = `
${setBackstop}
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return {'taken'} end
redis.call('SET', KEYS[1], ARGV[1])
setBackstop(KEYS[1], ARGV[2])
return {'claimed'}
`

/** On a selector's key. Answers with the session id, if any. */
export const readSelectorScript = `
local held = redis.call('GET', KEYS[1])
return held and {held} or {}
`

/** On a selector's key. ARGV: session id. Frees the selector where it is that session's. */
export const freeSelectorScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return {}
`

/** On a user's sorted set. ARGV: session id, `createdAt`, backstop. A session that has the id keeps its place. */
export const addToUserScript = `
${setBackstop}
redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
if redis.call('PEXPIRETIME', KEYS[1]) < tonumber(ARGV[3]) then setBackstop(KEYS[1], ARGV[3]) end
return {}
`

/** On a user's sorted set. Returns all session ids, the newest first. */
export const listUserScript = `
return redis.call('ZRANGE', KEYS[1], 0, -1, 'REV')
`

/** On a sorted set by the time a session is over. ARGV: member, time. Moves the member forward only. */
export const addOverScript = `
redis.call('ZADD', KEYS[1], 'LT', ARGV[2], ARGV[1])
return {}
`

/** On a sorted set by the time a session is over. ARGV: member, time. */
export const moveOverScript = `
redis.call('ZADD', KEYS[1], 'XX', ARGV[2], ARGV[1])
return {}
`

/** On a sorted set by the time a session is over. ARGV: instant, limit. */
export const listOverScript = `
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
`

/** On a sorted set. ARGV: member. */
export const removeMemberScript = `
redis.call('ZREM', KEYS[1], ARGV[1])
return {}
`
