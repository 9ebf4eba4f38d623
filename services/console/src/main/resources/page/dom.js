// Creates and updates elements. Text is always set as text, never as markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Properties */

const HANDLERS = /** @type {const} */ (['onclick', 'onchange', 'oninput', 'onsubmit', 'onkeydown']);

/**
 * Creates an element. Properties that begin with "on" are handlers, others are attributes; an attribute that is false, null or
 * undefined is left out.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') {
      /** @type {any} */ (element)[name] = value;
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...nodes(children));
  return element;
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {Node[]}
 */
function nodes(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false && child !== '')
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/**
 * Makes the children of an element equal to new ones. Elements with the same place, tag and data-key stay, so that focus, selection
 * and scroll positions stay too.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function show(parent, ...children) {
  morphChildren(parent, nodes(children));
}

/**
 * @param {Element} parent
 * @param {Node[]} wanted
 */
function morphChildren(parent, wanted) {
  wanted.forEach((node, index) => {
    const present = parent.childNodes[index];
    if (!present) {
      parent.append(node);
    } else if (!morph(present, node)) {
      present.replaceWith(node);
    }
  });
  while (parent.childNodes.length > wanted.length) {
    parent.lastChild?.remove();
  }
}

/**
 * @param {Node} present
 * @param {Node} wanted
 * @returns {boolean} whether the present node is now like the wanted one
 */
function morph(present, wanted) {
  if (present instanceof Text && wanted instanceof Text) {
    if (present.data !== wanted.data) {
      present.data = wanted.data;
    }
    return true;
  }
  if (
    !(present instanceof HTMLElement && wanted instanceof HTMLElement) ||
    present.tagName !== wanted.tagName ||
    present.dataset['key'] !== wanted.dataset['key']
  ) {
    return false;
  }
  for (const { name } of [...present.attributes]) {
    if (name !== 'style' && !wanted.hasAttribute(name)) {
      present.removeAttribute(name);
    }
  }
  for (const { name, value } of wanted.attributes) {
    if (name !== 'style' && present.getAttribute(name) !== value) {
      present.setAttribute(name, value);
    }
  }
  for (const name of HANDLERS) {
    /** @type {any} */ (present)[name] = wanted[name];
  }
  if (present.style.cssText !== wanted.style.cssText) {
    present.style.cssText = wanted.style.cssText; // The security policy forbids the attribute, and permits this.
  }
  morphChildren(present, [...wanted.childNodes]);
  return true;
}

/**
 * Sets a custom property, which the style sheet uses.
 * @template {HTMLElement} T
 * @param {T} element
 * @param {string} name
 * @param {string | number} value
 * @returns {T}
 */
export function withStyle(element, name, value) {
  element.style.setProperty(name, String(value));
  return element;
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) {
    throw new Error(`the document has no element ${id}`);
  }
  return element;
}

/**
 * A link within the page.
 * @param {string} href
 * @param {...(Child | Child[])} children
 */
export function a(href, ...children) {
  return h('a', { href }, ...children);
}
