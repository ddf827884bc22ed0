/** Loads the styles of all pages, in one order: every script then makes the same style sheet, of which one file is kept. */
import './base.css'
import './controls.css'
import './pages.css'
import '../pay/pay.css'
