import { request, requestJson } from './auth.js'
import { create, find, onClick, show } from './dom.js'
import { getSecondSessionId } from './second-session.js'
import { signOut } from './sign-out.js'

/**
 * @typedef {object} Device
 * @property {string} id
 * @property {boolean} current
 * @property {string} created_at
 * @property {string} last_used_at
 * @property {string | null} user_agent
 * @property {string | null} ip_address
 */

/** @type {readonly Device[]} */
let devices = []

/** Lists the active sessions of the user. */
export const showDevices = async () => {
  const { sessions } = await requestJson('api/sessions')
  devices = sessions
  find('devices').replaceChildren(...devices.map(toItem))
  find('end-others').hidden = devices.length < 2
}

/** Connects the elements of the section. */
export const startDevices = () => {
  onClick(find('list-devices'), showDevices)
  onClick(find('end-others'), async () => {
    const others = devices.filter(({ current }) => !current)
    for (const { id } of others) await endSession(id)
    await showDevices()
    show(
      others.length === 1 ? 'The other session has ended.' : `${others.length} other sessions have ended.`,
      'success',
    )
    find('devices-title').focus()
  })
}

/** @param {Device} device */
const toItem = (device) => {
  const { id, current, created_at, last_used_at, user_agent, ip_address } = device
  const name = describeAgent(user_agent)
  const note = current ? 'This session' : id === getSecondSessionId() ? 'Second session of this page' : ''
  const button = create(
    'button',
    { type: 'button', 'aria-label': `End this one: ${name}, ${toTime(created_at)}` },
    'End this one',
  )
  onClick(button, async () => {
    if (current) return signOut()
    await endSession(id)
    await showDevices()
    show('The session has ended.', 'success')
    find('devices-title').focus()
  })
  return create(
    'li',
    {},
    create(
      'div',
      {},
      create('strong', { title: user_agent ?? '' }, name),
      note === '' ? '' : create('span', { class: 'badge' }, note),
      create(
        'div',
        { class: 'quiet' },
        `Signed in ${toTime(created_at)}, last used ${toTime(last_used_at)}, from ${ip_address ?? 'an unknown address'}`,
      ),
    ),
    button,
  )
}

/** @param {string} id */
const endSession = async (id) => {
  const response = await request(`api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' })
  // Another tab may have ended it.
  if (!response.ok && response.status !== 404) throw new Error(`The session was not ended (${response.status}).`)
}

/** @param {string} instant */
const toTime = (instant) => {
  const time = new Date(instant)
  const isToday = time.toDateString() === new Date().toDateString()
  return time.toLocaleString([], isToday ? { timeStyle: 'short' } : { dateStyle: 'short', timeStyle: 'short' })
}

const agents = /** @type {const} */ ([
  ['Edg/', 'Edge'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chromium'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
])

const systems = /** @type {const} */ ([
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
])

/** @param {string | null} userAgent */
const describeAgent = (userAgent) => {
  if (userAgent === null) return 'Unknown device'
  const agent = agents.find(([sign]) => userAgent.includes(sign))?.[1] ?? userAgent.slice(0, 40)
  const system = systems.find(([sign]) => userAgent.includes(sign))?.[1]
  return system === undefined ? agent : `${agent} on ${system}`
}
