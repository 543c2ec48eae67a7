import { auth, baseUrl } from './auth.js'
import { endSession, listSessions } from './client/sessions.js'
import { create, find, onClick, show } from './dom.js'
import { getSecondSessionId } from './second-session.js'
import { signOut } from './sign-out.js'

/** @type {readonly import('./client/sessions.js').UserSession[]} */
let devices = []

/** Lists the active sessions of the user. */
export const showDevices = async () => {
  devices = await listSessions(auth, { baseUrl })
  find('devices').replaceChildren(...devices.map(toItem))
  find('end-others').hidden = devices.length < 2
}

/** Connects the elements of the section. */
export const startDevices = () => {
  onClick(find('list-devices'), showDevices)
  onClick(find('end-others'), async () => {
    const others = devices.filter(({ isCurrent }) => !isCurrent)
    for (const { id } of others) await endSession(auth, id, { baseUrl })
    await showDevices()
    show(
      others.length === 1 ? 'The other session has ended.' : `${others.length} other sessions have ended.`,
      'success',
    )
    find('devices-title').focus()
  })
}

/** @param {import('./client/sessions.js').UserSession} device */
const toItem = ({ id, isCurrent, createdAt, lastUsedAt, userAgent, ipAddress }) => {
  const name = describeAgent(userAgent)
  const note = isCurrent ? 'This session' : id === getSecondSessionId() ? 'Second session of this page' : ''
  const button = create(
    'button',
    { type: 'button', 'aria-label': `End this one: ${name}, ${toTime(createdAt)}` },
    'End this one',
  )
  onClick(button, async () => {
    if (isCurrent) return signOut()
    await endSession(auth, id, { baseUrl })
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
      create('strong', { title: userAgent ?? '' }, name),
      note === '' ? '' : create('span', { class: 'badge' }, note),
      create(
        'div',
        { class: 'quiet' },
        `Signed in ${toTime(createdAt)}, last used ${toTime(lastUsedAt)}, from ${ipAddress ?? 'an unknown address'}`,
      ),
    ),
    button,
  )
}

/** @param {Date} time */
const toTime = (time) => {
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
