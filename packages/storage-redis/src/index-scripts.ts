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

/** On a sorted set by time. ARGV: member, time. Adds the member; a member that is there only moves to an earlier time. */
export const addEarliestScript = `
redis.call('ZADD', KEYS[1], 'LT', ARGV[2], ARGV[1])
return {}
`

/** On a sorted set by time. ARGV: member, time. Adds the member; a member that is there only moves to a later time. */
export const addLatestScript = `
redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[1])
return {}
`

/** On a sorted set by time. ARGV: member, time. */
export const moveScript = `
redis.call('ZADD', KEYS[1], 'XX', ARGV[2], ARGV[1])
return {}
`

/** On a sorted set by time. ARGV: instant, limit. Returns members up to the instant, the earliest first. */
export const listUpToScript = `
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
`

/**
 * On a sorted set by time. ARGV: first time, last time, limit. Returns members with their times, the earliest first: what is removed
 * meanwhile hides no other member from a caller that continues from a time.
 */
export const listFromScript = `
return redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[3])
`

/** On a sorted set. ARGV: member. */
export const removeMemberScript = `
redis.call('ZREM', KEYS[1], ARGV[1])
return {}
`

/** On a sorted set by time. ARGV: member, instant. Removes the member unless it has moved past the instant. */
export const removeUpToScript = `
local time = redis.call('ZSCORE', KEYS[1], ARGV[1])
if time and tonumber(time) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
return {}
`
