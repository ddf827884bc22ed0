import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { idOf } from '../fields/question.tsx'
import { brand } from '../model/api.ts'
import type { ShownProblem } from '../model/problems.ts'
import { personPageOf } from '../model/steps.ts'
import { texts } from '../texts/words.ts'

/** The frame of every page: the head line, the card, and the note about saving. */
export function Layout({
  children,
  about = texts.brand,
  progress,
}: {
  children: ComponentChildren
  /** What the form is about, where the organization has no name. */
  about?: string
  progress?: { at: number; of: number } | undefined
}) {
  return (
    <>
      <header class="top">
        <Brand about={about} />
        <p class="quiet">{texts.secure}</p>
      </header>
      {progress && <progress class="steps" max={progress.of} value={progress.at} aria-hidden="true" />}
      <main class="card">{children}</main>
    </>
  )
}

/** Whose form this is: the organization's logo and name, or what the form is about. */
function Brand({ about }: { about: string }) {
  const [hasLogo, setLogo] = useState(brand.logo !== '')
  return (
    <p class="brand">
      {hasLogo ? <img class="logo" src={brand.logo} alt="" onError={() => setLogo(false)} /> : <Shield />}
      {brand.name || about}
    </p>
  )
}

function Shield() {
  return (
    <svg class="shield" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M12 2 4 5v6c0 5 3.4 9.4 8 11 4.6-1.6 8-6 8-11V5z" fill="currentColor" />
      <path
        d="m8.3 12 2.6 2.6 4.9-5.2"
        fill="none"
        stroke="var(--card)"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}

/** The heading of a page. It takes the focus, so that a screen reader tells where the customer is. */
export function Heading({
  title,
  above,
  of,
  form = texts.title,
  isQuiet = false,
}: {
  title: string
  above?: string | undefined
  of?: string | undefined
  /** The name of the form, in the title of the window. */
  form?: string
  /** True where a field takes the focus instead. */
  isQuiet?: boolean
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = [above, title, form].filter(Boolean).join(' – ')
    if (isQuiet) return
    heading.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [title, above, of])
  return (
    <>
      {above && <p class="above">{above}</p>}
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
    </>
  )
}

type LoadFailedProps = { isEnded: boolean; ended: string; about?: string; form?: string }

/** The page of a form that could not be loaded, or whose session is over. */
export function LoadFailed({ isEnded, ended, about = texts.brand, form = texts.title }: LoadFailedProps) {
  return (
    <div class="shell">
      <Layout about={about}>
        <Heading title={isEnded ? texts.sessionEnded : texts.loadFailed} form={form} />
        <p class="lead">{isEnded ? ended : texts.loadFailedHint}</p>
        {!isEnded && (
          <button type="button" onClick={() => location.reload()}>
            {texts.tryAgain}
          </button>
        )}
      </Layout>
    </div>
  )
}

type SummaryProps = { problems: readonly ShownProblem[]; count: number; onGo(id: string, place: string): void }

/** Lists the problems of a page with links to their fields, and takes the focus when they appear. */
export function ErrorSummary({ problems, count, onGo }: SummaryProps) {
  const summary = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (count > 0 && problems.length > 0) summary.current?.focus()
  }, [count])
  if (problems.length === 0) return null
  const isQuestion = problems.every(({ mayStay }) => mayStay)
  return (
    <div class="summary" role="alert" tabIndex={-1} ref={summary} aria-labelledby="summary-title">
      <h2 id="summary-title">{isQuestion ? texts.confirmTitle : texts.errorTitle}</h2>
      <ul>
        {problems.map(({ place, text }) => (
          <li key={place}>
            <a
              href={`#${idOf(place)}`}
              onClick={(event) => {
                event.preventDefault()
                // A list of people tells of pictures that wait on the pages of these people.
                const page = document.getElementById(idOf(place)) ? undefined : personPageOf(place)
                if (page) onGo(page, place)
                else goTo(place)
              }}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
      {isQuestion && <p>{texts.confirmHint}</p>}
    </div>
  )
}

/** Moves the focus to a field; the first control of a group. */
export function goTo(place: string): void {
  const target = document.getElementById(idOf(place))
  const control = target?.matches('fieldset')
    ? target.querySelector<HTMLElement>('input:not([tabindex="-1"]), select, button')
    : target
  target?.scrollIntoView({ block: 'center' })
  ;(control ?? target)?.focus()
}

/** Says at a button why nothing happens: the answers cannot be saved. Each attempt says it again. */
export function StuckAlert({ attempts }: { attempts: number }) {
  const { store } = useForm()
  if (attempts === 0 || store.saveStatus !== 'waiting') return null
  return (
    <p class="problem" role="alert" key={attempts}>
      {texts.cannotContinue}
    </p>
  )
}

/** Tells in a calm line whether the answers are saved. A screen reader says it only when saving fails, and its end. */
export function SaveNote() {
  const { store } = useForm()
  const { saveStatus } = store
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    if (saveStatus === 'waiting') setFailed(true)
  }, [saveStatus])
  const isFileBusy = saveStatus === 'saved' && store.files.isBusy()
  const known = { saved: texts.saved, saving: texts.saving, waiting: texts.notSaved }
  const words = isFileBusy ? texts.files.stillBusy : known[saveStatus]
  return (
    <>
      <p class={`save ${isFileBusy ? 'saving' : saveStatus}`}>{words}</p>
      <span class="sr" role="status">
        {hasFailed && saveStatus !== 'saving' && words}
      </span>
    </>
  )
}
