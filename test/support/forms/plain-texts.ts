import type { Page } from 'playwright-core'

/**
 * Lists the texts of a page that stand in no catalog: those with two plain letters in a row. Codes, and names of countries
 * and months as the browser writes them in German, come from none. Neither do the texts of `others`, a selector: data of the
 * test, and a countdown that changes between two looks.
 */
const scriptFor = (others: string) => `(() => {
  const shown = []
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.parentElement.closest('script, style, noscript, ${others}')) shown.push(node.textContent.trim())
    } else for (const name of ['aria-label', 'alt', 'title', 'placeholder', 'label', 'data-failed']) {
      if (node.hasAttribute(name)) shown.push(node.getAttribute(name))
    }
  }
  const countries = new Intl.DisplayNames('de', { type: 'region' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const months = letters.slice(0, 12).map((_, at) => new Date(2000, at).toLocaleDateString('de', { month: 'long' }))
  const known = new Set([...months, ...letters.flatMap((one) => letters.map((other) => countries.of(one + other)))])
  return [...new Set(shown)].filter((text) => /[A-Za-z]{2}/.test(text) && !known.has(text) && !/^[A-Z0-9_]+$/.test(text))
})()`

export const findPlain = (page: Page, ...others: string[]) =>
  page.evaluate<string[]>(scriptFor(['.languages a', ...others].join(', ')))
