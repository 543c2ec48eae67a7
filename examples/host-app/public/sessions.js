import { auth, baseUrl } from './auth.js'
import { listSessions, revokeSession } from './client/sessions.js'
import { create, find, onClick, show } from './dom.js'

/** @typedef {import('./client/sessions.js').UserSession} UserSession */

/** Lists the active sessions of the user. */
export const showSessions = async () => {
  const sessions = await listSessions(auth, { baseUrl })
  find('devices').replaceChildren(...sessions.map(toItem))
  find('end-others').hidden = sessions.length < 2
}

/** Connects the elements of the section. */
export const startSessions = () => {
  onClick(find('list-devices'), showSessions)
  onClick(find('end-others'), async () => {
    const others = (await listSessions(auth, { baseUrl })).filter(({ isCurrent }) => !isCurrent)
    for (const { id } of others) await revokeSession(auth, id, { baseUrl })
    await showSessions()
    show('All other sessions have ended.', 'success')
  })
}

/** @param {UserSession} session */
const toItem = ({ id, isCurrent, createdAt, lastUsedAt, userAgent, ipAddress }) => {
  const button = create('button', { type: 'button', 'aria-describedby': id }, 'End this one')
  onClick(button, async () => {
    if (isCurrent) return auth.logout()
    await revokeSession(auth, id, { baseUrl })
    await showSessions()
    show('The session has ended.', 'success')
  })
  const times = `Signed in ${createdAt.toLocaleString()}, last used ${lastUsedAt.toLocaleString()}`
  const description = create(
    'div',
    { id },
    create('strong', {}, isCurrent ? 'This session' : 'Another session'),
    create('p', { class: 'quiet' }, `${times}, from ${ipAddress ?? 'an unknown address'}: ${userAgent ?? ''}`),
  )
  return create('li', {}, description, button)
}
