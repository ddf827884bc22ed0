import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { makeJpeg } from '../customers/document-files.ts'
import { heading } from './form-visitor.ts'

/** A customer without a mouse. */
export function useKeyboard(page: Page) {
  const { keyboard } = page
  const label = `(document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent ?? '').trim()`

  /** Moves on with Tab until the control with this label has the focus. */
  const tabTo = async (name: string) => {
    const seen: string[] = []
    while (seen.length < 60) {
      await keyboard.press('Tab')
      const now = await page.evaluate<string>(label)
      if (now.startsWith(name)) return
      seen.push(now.slice(0, 30))
    }
    expect.fail(`Tab never reaches ${name}, but ${seen.join(', ')}`)
  }
  const type = async (name: string, text: string) => {
    await tabTo(name)
    await keyboard.type(text)
  }
  const pick = (option: string) => pickOption(page, option)
  const choose = async (name: string, option: string) => {
    await tabTo(name)
    await pick(option)
  }
  const enter = async (name: string) => {
    await tabTo(name)
    await keyboard.press('Enter')
  }
  return {
    type,
    pick,
    choose,
    enter,
    /** Answers the next question with Yes and No: Space takes the first, an arrow key the second. */
    answer: async (isYes: boolean) => {
      await tabTo('Yes')
      await keyboard.press(isYes ? 'Space' : 'ArrowDown')
    },
    typeDate: async (year: string, month: string, day: string) => {
      await type('Day', day)
      await choose('Month', month)
      await type('Year', year)
    },
    /** Presses Continue, or another button, and expects the page after it. */
    proceed: async (title: string, button = 'Continue') => {
      await enter(button)
      await heading(page, title)
      // The new page takes the focus after it is shown.
      await page.locator('h1:focus').waitFor()
    },
    /** Chooses a photo with the button of this name, and sends it with the button that has the focus then. */
    addPhoto: async (button = 'Choose a file') => {
      // A busy browser handles a key before the request to hand over its file dialog, so the request comes well before.
      const chooser = page.waitForEvent('filechooser')
      await enter(button)
      await (await chooser).setFiles({ name: 'p.jpg', mimeType: 'image/jpeg', buffer: await makeJpeg() })
      await page.locator('button:focus', { hasText: 'Use this picture' }).waitFor()
      await keyboard.press('Enter')
      await page.getByText('Uploaded', { exact: true }).last().waitFor()
    },
  }
}

/**
 * Chooses from the list that has the focus: the first letter brings the first option with it, and the arrow key the others.
 * Typing the whole name would depend on how fast the keys are handled.
 */
async function pickOption(page: Page, option: string): Promise<void> {
  const read = () => page.evaluate<string>(`document.activeElement.selectedOptions[0].textContent.trim()`)
  const seen = [await read()]
  for (let key = option.charAt(0); !seen.at(-1)?.startsWith(option); key = 'ArrowDown') {
    await page.keyboard.press(key)
    seen.push(await read())
    if (seen.at(-1) === seen.at(-2)) expect.fail(`the list has no ${option}, but ${seen.join(', ')}`)
  }
}
