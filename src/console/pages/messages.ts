import { type Markup, markup } from "../../report/html/markup.ts";

/** What is not there. */
export function missingPage(what: string): Markup {
  return markup`<h1>Not found</h1><p class="lead">${what}</p><p><a href="/">The fleet</a> · <a href="/search">Search</a></p>`;
}

/** Asks for the token. A form that is sent by GET, for the console answers nothing else; the answer leads on at once. */
export function signInPage(wrong: boolean): Markup {
  return markup`<h1>Sign in</h1>
<p class="lead">Enter the value of EVENKEEL_CONSOLE_TOKEN that the console was started with.</p>
${wrong ? markup`<p class="notice bad" role="alert">The token is wrong.</p>` : ""}
<form class="filters" action="/sign-in"><label>Token<input type="password" name="token" required autocomplete="current-password"></label><span class="go"><button>Sign in</button></span></form>`;
}
