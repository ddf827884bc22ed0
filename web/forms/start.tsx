import { type ComponentChild, render } from 'preact'
import { tellParent } from './model/parent.ts'
import { followLanguageLinks } from './texts/language-links.ts'
import { speak } from './texts/words.ts'

/** `open`: answers what draws the form that was read. */
type Form<Read> = {
  read(): Promise<Read>
  open(read: Read): () => ComponentChild
  fail(error: unknown): ComponentChild
}

/** Shows a form in the language of its page, and again when the customer chooses another one. */
export async function startForm<Read>(root: HTMLElement, { read, open, fail }: Form<Read>): Promise<void> {
  const opening = read()
  opening.catch(() => undefined)
  try {
    await speak(document.documentElement.lang)
  } catch {
    // Without its words the script can say nothing: the page has brought this text along.
    const waiting = root.querySelector<HTMLElement>('[data-failed]')
    if (waiting) waiting.textContent = waiting.dataset.failed ?? ''
    return
  }
  // A new value of a context draws every part of the form again, in the language of now.
  const draw = await opening.then(open, (error: unknown) => {
    tellParent(undefined)
    return () => fail(error)
  })
  root.className = ''
  root.textContent = ''
  render(draw(), root)
  followLanguageLinks(() => render(draw(), root))
}
