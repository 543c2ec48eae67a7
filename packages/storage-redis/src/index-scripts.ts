import { setBackstop } from './session-scripts.js'

/**
 * On a selector's key. ARGV: session id, backstop. Claims the selector unless it belongs to another
 * session.
 */
export const claimSelectorScript = `
${setBackstop}
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return {'taken'} end
redis.call('SET', KEYS[1], ARGV[1])
setBackstop(KEYS[1], ARGV[2])
return {'claimed'}
`

/** On a selector's key. ARGV: session id. Frees the selector if it belongs to the session. */
export const freeSelectorScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return {}
`

/**
 * On a sorted set of a user's sessions. ARGV: `NX` to keep the time of an existing entry, or `GT`
 * to move it to a later time and keep the 10,000 latest entries, nine times as many as a list
 * contains; session id, time, backstop. Adds the id.
 */
export const addToUserScript = `
${setBackstop}
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3], ARGV[2])
if ARGV[1] == 'GT' then redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -10001) end
if redis.call('PEXPIRETIME', KEYS[1]) < tonumber(ARGV[4]) then setBackstop(KEYS[1], ARGV[4]) end
return {}
`

/**
 * On a sorted set. ARGV: cursor, and about how many members to return. Returns the next cursor,
 * which is 0 at the end, and the members.
 */
export const scanMembersScript = `
local cursor, entries = unpack(redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2]))
local found = {cursor}
for place = 1, #entries, 2 do found[#found + 1] = entries[place] end
return found
`
