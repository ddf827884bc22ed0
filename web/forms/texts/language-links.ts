import { visit } from '../model/api.ts'
import { speak, texts } from './words.ts'

/** Lets the links of the languages change the page in place: what is typed, and files that wait, stay. */
export function followLanguageLinks(redraw: () => void): void {
  const links = document.querySelectorAll<HTMLAnchorElement>('.languages a')
  for (const link of links) {
    link.addEventListener('click', (event) => {
      event.preventDefault()
      void change(link, redraw)
    })
  }
}

async function change(link: HTMLAnchorElement, redraw: () => void): Promise<void> {
  const language = link.lang
  const list = link.closest('.languages')
  const note = list?.querySelector('[role="status"]')
  if (note) note.textContent = ''
  try {
    // The service keeps the choice in a cookie, for the next page and the next visit.
    await Promise.all([speak(language), visit(link.href)])
  } catch {
    if (note) note.textContent = texts.languageFailed
    return
  }
  document.documentElement.lang = language
  document.documentElement.dir = texts.direction
  list?.setAttribute('aria-label', texts.languages)
  const support = document.querySelector('.support')
  support?.setAttribute('aria-label', texts.help)
  const label = support?.querySelector('span')
  if (label) label.textContent = texts.help
  list?.querySelector('[aria-current]')?.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'true')
  redraw()
}
