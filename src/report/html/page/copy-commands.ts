/** Milliseconds for which a button says that it has copied. */
const confirmation = 1500;

/** Gives each command a button that copies it. Without access to the clipboard the command is selected. */
export function addCopyButtons(): void {
  for (const command of document.querySelectorAll<HTMLElement>("code.command")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${command.textContent}`);
    button.addEventListener("click", () => void copy(command, button));
    command.after(button);
  }
}

async function copy(command: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(command.textContent ?? "");
  } catch {
    getSelection()?.selectAllChildren(command);
    return;
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, confirmation);
}
