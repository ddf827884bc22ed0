import { useEffect, useRef } from 'preact/hooks'
import { texts } from '../texts/words.ts'
import { pagesPerPicture } from './limits.ts'
import type { PreparedFile } from './prepare.ts'

type LookProps = {
  prepared: PreparedFile
  url: string
  label: string
  isOld: boolean
  onUse(prepared: PreparedFile): void
  onCancel(): void
  onPages(from: number): void
}

/** Shows a picture before it is sent. Of a long PDF the customer chooses the pages. */
export function Look({ prepared, url, label, isOld, onUse, onCancel, onPages }: LookProps) {
  const use = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOld) use.current?.focus()
  }, [])
  const { pages } = prepared
  const pick = `pages-${label.replaceAll(/\W+/g, '-')}`
  return (
    <div class="look">
      <img src={url} alt={texts.files.alt(label)} />
      <p>
        <strong>{texts.files.look}</strong> {texts.files.lookHint} {prepared.isConverted && texts.files.converted}{' '}
        {pages && pages.of > 1 && texts.files.pages(pages.from, pages.to, pages.of)}
      </p>
      {pages && pages.of > pagesPerPicture && (
        <p>
          <label for={pick}>{texts.files.choosePages}</label>
          <select id={pick} value={pages.from} onChange={(event) => onPages(Number(event.currentTarget.value))}>
            {rangesOf(pages.of).map(([from, to]) => (
              <option key={from} value={from}>
                {texts.files.pageRange(from, to)}
              </option>
            ))}
          </select>
        </p>
      )}
      <div class="buttons">
        <button type="button" ref={use} onClick={() => onUse(prepared)}>
          {texts.files.use}
          <span class="sr"> – {label}</span>
        </button>
        <button type="button" class="secondary" onClick={onCancel}>
          {texts.files.another}
          <span class="sr"> – {label}</span>
        </button>
      </div>
    </div>
  )
}

function rangesOf(count: number): [from: number, to: number][] {
  return Array.from({ length: Math.ceil(count / pagesPerPicture) }, (_, at) => [
    at * pagesPerPicture + 1,
    Math.min(count, (at + 1) * pagesPerPicture),
  ])
}
