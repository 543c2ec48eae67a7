/**
 * Returns the element with an id.
 *
 * @template {HTMLElement} [Type=HTMLElement]
 * @param {string} id
 * @param {new () => Type} [type] the class of the element
 * @returns {Type}
 */
export const find = (id, type) => {
  const element = document.getElementById(id)
  if (element instanceof (type ?? HTMLElement)) return /** @type {Type} */ (element)
  throw new Error(`The page has no element ${id}.`)
}

/**
 * Creates an element. Text becomes text nodes, so nothing of a server or a user is ever parsed as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string>>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export const create = (name, attributes, ...children) => {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.append(...children)
  return element
}

/**
 * Calls an asynchronous listener on each submit of a form, with the values of its fields. The button does nothing until the listener
 * has finished.
 *
 * @param {string} id the id of the form
 * @param {(values: Readonly<Record<string, string>>, form: HTMLFormElement) => Promise<void>} listener
 */
export const onSubmit = (id, listener) => {
  const form = find(id, HTMLFormElement)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
    runOnce(form, () => listener(values, form))
  })
}

/**
 * Calls an asynchronous listener on each click of a button. Clicks are ignored until the listener has finished.
 *
 * @param {HTMLElement} button
 * @param {() => Promise<void>} listener
 */
export const onClick = (button, listener) => button.addEventListener('click', () => runOnce(button, listener))

/**
 * @param {HTMLElement} element
 * @param {() => Promise<void>} run
 */
const runOnce = async (element, run) => {
  // Not `disabled`, which would move the focus of the keyboard away.
  if (element.getAttribute('aria-busy') === 'true') return
  element.setAttribute('aria-busy', 'true')
  try {
    await run()
  } catch (error) {
    show(error instanceof Error ? error.message : String(error), 'failure')
  } finally {
    element.removeAttribute('aria-busy')
  }
}

/**
 * Shows a message at the top of the page.
 *
 * @param {string} text empty to hide the message
 * @param {'success' | 'failure' | 'neutral'} [kind]
 */
export const show = (text, kind = 'neutral') => {
  const notice = find('notice')
  notice.textContent = text
  notice.dataset['kind'] = kind
}
